import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'

/** One tool call as it arrived. */
export type CallLine = {
  tool: string
  arguments: Record<string, unknown>
  /** `_meta.idempotency_key` of the request. */
  key: string | null
  /** Its `Idempotency-Key` header. */
  header_key: string | null
  at_ms: number
}

export type Ledger = {
  /** Written to disk before this returns, so that every later response is already recorded. */
  write(line: CallLine): void
  read(): CallLine[]
  close(): void
}

/** Appends to a file, or stores the lines in memory if no file is named. */
export const openLedger = (file: string | undefined): Ledger => {
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
const readLedgerFile = (file: string): CallLine[] => {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as CallLine)
}
