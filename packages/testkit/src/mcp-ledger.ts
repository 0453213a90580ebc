import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'

/** One tool call as it arrived. */
export interface CallLine {
  tool: string
  arguments: Record<string, unknown>
  /** `_meta.idempotency_key` of the request. */
  key: string | null
  /** Its `Idempotency-Key` header. */
  header_key: string | null
  at_ms: number
}

export interface Ledger {
  /** On the disk before this returns, so that whatever is answered afterwards is already written down. */
  write(line: CallLine): void
  read(): CallLine[]
  close(): void
}

/** Appends to a file, or keeps the lines in memory where no file is named. */
export function openLedger(file: string | undefined): Ledger {
  if (file === undefined) {
    const lines: CallLine[] = []
    return { write: (line) => lines.push(line), read: () => [...lines], close: () => undefined }
  }
  const handle = openSync(file, 'a')
  return {
    write(line) {
      writeSync(handle, `${JSON.stringify(line)}\n`)
      fsyncSync(handle)
    },
    read: () => readLedgerFile(file),
    close: () => closeSync(handle),
  }
}

/** The last line may have been cut short by a crash. */
function readLedgerFile(file: string): CallLine[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as CallLine)
}
