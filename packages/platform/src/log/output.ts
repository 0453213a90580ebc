import { write, writeSync } from 'node:fs'
import { platformBounds } from '../bounds.ts'

/** `isWritten`: the last write succeeded. `lostLines`: lines that were dropped. */
export type LogOutput = { readonly isWritten: boolean; readonly lostLines: number }

const maxWaitingBytes = platformBounds.logBuffered.bytes
const chunkBytes = 64 * 1024
const retryMs = 1_000
const busyMs = 100

/**
 * Writes lines together and in the background. If they cannot be written, because the disk is full or nobody reads them, the
 * process goes on: lines wait up to a bound and are then dropped and counted, and the write is tried again each second.
 */
export const openLogOutput = (file: number): { write(line: string): void; flush(): void; state(): LogOutput } => {
  let lines: string[] = []
  let waitingBytes = 0
  /** The rest of what is being written. */
  let chunk: Buffer | undefined
  let isUnderWay = false
  let isWritten = true
  let lostLines = 0

  const writeNext = (): void => {
    if (isUnderWay) return
    chunk ??= takeChunk()
    if (chunk === undefined) return
    isUnderWay = true
    write(file, chunk, (error, count) => {
      if (error) return retry(error)
      isUnderWay = false
      isWritten = true
      advance(count)
      writeNext()
    })
  }

  const retry = (error: NodeJS.ErrnoException): void => {
    // The reader of a pipe is slow.
    const isBusy = error.code === 'EAGAIN' || error.code === 'EBUSY'
    if (!isBusy) isWritten = false
    setTimeout(
      () => {
        isUnderWay = false
        writeNext()
      },
      isBusy ? busyMs : retryMs,
    ).unref()
  }

  const takeChunk = (): Buffer | undefined => {
    if (lines.length === 0) return undefined
    let [count, bytes] = [0, 0]
    while (count < lines.length && bytes < chunkBytes) bytes += lines[count++]?.length ?? 0
    const taken = Buffer.from(lines.slice(0, count).join(''))
    lines = lines.slice(count)
    return taken
  }

  const advance = (count: number): void => {
    waitingBytes -= count
    chunk = chunk === undefined || count >= chunk.length ? undefined : chunk.subarray(count)
  }

  return {
    write: (line) => {
      const bytes = Buffer.byteLength(line)
      if (waitingBytes + bytes > maxWaitingBytes) {
        lostLines++
        return
      }
      waitingBytes += bytes
      lines.push(line)
      writeNext()
    },
    /** At the end of the process. A write that is under way is left to its thread. */
    flush: () => {
      if (isUnderWay) chunk = undefined
      try {
        for (chunk ??= takeChunk(); chunk !== undefined; chunk ??= takeChunk()) advance(writeSync(file, chunk))
      } catch {
        // The log still cannot be written, or its reader is slow.
      }
    },
    state: () => ({ isWritten, lostLines }),
  }
}
