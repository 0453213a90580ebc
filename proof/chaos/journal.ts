import { type FileHandle, open, readFile } from 'node:fs/promises'

/** One line of what a client did and heard. Times are of the monotonic clock. */
export type JournalLine = SentLine | AnsweredLine

export type SentLine = {
  kind: 'sent'
  call: number
  at_ms: number
  gateway: number
  /** Whose key it carries. */
  org: string
  what: 'create' | 'stream' | 'read' | 'watch' | 'cancel' | 'act' | 'list' | 'foreign'
  key: string
  /** The codes that are right. Missing: any 2xx. */
  expects?: readonly number[]
  /** The connection itself was meddled with, so a failure says nothing. */
  is_sabotaged?: true
}

export type AnsweredLine = {
  kind: 'answered'
  call: number
  at_ms: number
  /** 0: the connection failed, or nothing came in time. */
  status: number
  error?: string
  run_id?: string
  run_status?: string
  is_replayed?: boolean
  /** The organisations whose mark was found in the answer. */
  leakMarkers?: readonly string[]
}

/** On the disk before the caller goes on, so that it outlives whatever it tells of. */
export type Journal = {
  /** A number for a call; no two calls have the same. */
  nextCall(): number
  write(line: JournalLine): Promise<void>
  read(): Promise<JournalLine[]>
  close(): Promise<void>
}

export const openJournal = async (file: string): Promise<Journal> => {
  const handle = await open(file, 'a')
  const write = lineWriter(handle)
  let calls = 0
  return {
    nextCall: () => ++calls,
    write,
    read: async () => parseLines<JournalLine>(await readFile(file, 'utf8')),
    close: () => handle.close(),
  }
}

/** Lines of JSON. The last one may have been cut short by a crash; it was never promised to anybody. */
export const parseLines = <Line>(text: string): Line[] => {
  const lines = text.split('\n')
  lines.pop()
  return lines.map((line) => JSON.parse(line) as Line)
}

/** Each line is JSON. Lines that arrive while the disk is busy share the next write and the next fsync. */
export const lineWriter = (handle: FileHandle): ((line: object) => Promise<void>) => {
  let gathered = ''
  let following: Promise<void> | undefined
  let present: Promise<void> = Promise.resolve()
  const flush = async (): Promise<void> => {
    const text = gathered
    gathered = ''
    following = undefined
    await handle.appendFile(text)
    await handle.sync()
  }
  return (line) => {
    gathered += `${JSON.stringify(line)}\n`
    if (!following) {
      following = present.then(flush)
      present = following
    }
    return following
  }
}
