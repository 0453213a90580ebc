import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Batch } from '@agent-run-service/sdk'
import { CommandError, exitCodes } from '../exit-code.ts'
import { exitCodeOf } from '../failure.ts'
import { isRecord } from '../record.ts'
import { type Session, settingsOfCall } from '../session.ts'
import { version } from '../version.ts'

/** Writes the results of a batch to a file or to stdout, as they arrive. Answers how many there are. */
export const exportBatch = async (session: Session, batch: Batch, file: string | undefined): Promise<number> => {
  const lines = countLines()
  const { signal } = session
  const write = async (part: string | undefined): Promise<void> => {
    const body = await open(session, batch.id)
    if (part === undefined) await pipeline(body, lines.stream, process.stdout, { signal, end: false })
    else await pipeline(body, lines.stream, createWriteStream(part), { signal })
    const { items } = batch.progress
    if (lines.count() < items) throw brokenOff(`The download ended after ${lines.count()} of ${items} results`)
  }
  await (file === undefined ? telling(() => write(undefined), 'stdout') : toFile(file, write))
  return lines.count()
}

/** A file with this name is whole: it gets its name at the end. */
const toFile = async (file: string, write: (part: string) => Promise<void>): Promise<void> => {
  const part = `${file}.part`
  try {
    await telling(() => write(part), file)
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

const telling = async (work: () => Promise<void>, file: string): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof CommandError) throw error
    const { message, syscall } = error as NodeJS.ErrnoException
    // Errors of files have the name of a call of the system, those of `fetch` have none.
    if (syscall !== undefined) throw new CommandError(`${file} cannot be written: ${message}`, { cause: error })
    throw brokenOff(`The download broke off: ${message}`, error)
  }
}

const brokenOff = (message: string, cause?: unknown): CommandError =>
  new CommandError(message, {
    advice: 'Run the command again.',
    code: 'no_connection',
    exitCode: exitCodes.unavailable,
    cause,
  })

/** The SDK has no method for downloads. */
const open = async ({ settings, signal }: Session, id: string): Promise<Readable> => {
  const { apiKey, baseUrl } = settingsOfCall(settings)
  const response = await fetch(`${baseUrl.replace(/\/$/, '')}/batches/${encodeURIComponent(id)}/export`, {
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/jsonl, application/json',
      'user-agent': `ars/${version}`,
    },
    signal,
  })
  if (!response.ok || response.body === null) throw await refusalOf(response)
  return Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
}

const refusalOf = async (response: Response): Promise<CommandError> => {
  const body: unknown = await response.json().catch(() => null)
  const error = isRecord(body) && isRecord(body.error) ? body.error : {}
  return new CommandError(String(error.message ?? `The service answered ${response.status}`), {
    code: String(error.code ?? 'refused'),
    exitCode: exitCodeOf(response.status),
  })
}

const countLines = (): { stream: Transform; count(): number } => {
  let lines = 0
  const stream = new Transform({
    transform: (chunk: Buffer, _, done) => {
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines++
      done(null, chunk)
    },
  })
  return { stream, count: () => lines }
}

const newline = 10
