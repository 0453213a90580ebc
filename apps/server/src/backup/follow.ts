import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@ars/platform/clock'
import { type ArchiveMark, hasReceived, noteBackup, readArchiveMark } from '@ars/platform/db/backup-facts'
import { serverBounds } from '../bounds.ts'
import { type Base, listBases, walFolder } from './backup-folder.ts'
import { connectionOf, type Programs } from './postgres-program.ts'

const maxSlotMs = serverBounds.slotCommand.ms
const lookEveryMs = 10_000
const baseAgainMs = 900_000
const statusSeconds = 5
const hourMs = 3_600_000

type FollowOptions = {
  folder: string
  slot: string
  url: string
  timeline: number
  programs: Programs
  /** Undefined: another command takes the base back-ups. */
  baseEveryHours: number | undefined
  takeBase(signal: AbortSignal): Promise<{ made: Base }>
}

/**
 * Receives WAL as it is written, until SIGTERM or SIGINT. The slot makes the server keep what was not received yet, so
 * that a restart of either side leaves no gap. After a lost connection pg_receivewal connects again every 5 seconds.
 */
export const followWal = async (options: FollowOptions): Promise<number> => {
  const { folder, slot, url, programs } = options
  const { args, env } = connectionOf(url)
  const common = [...args, '--directory', walFolder(folder), '--slot', slot, '--no-password']
  await programs('pg_receivewal', {
    args: [...common, '--create-slot', '--if-not-exists'],
    env,
    limitMs: maxSlotMs,
    onError: report,
  })
  const stopped = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopped.abort())
  report(`Receiving WAL into ${walFolder(folder)} through the slot ${slot}.`)
  const beside = Promise.all([noteArchive(options, stopped.signal), takeBases(options, stopped.signal)])
  try {
    await programs('pg_receivewal', {
      // Each piece is flushed when it arrives, so that a loss of power here loses nothing that the server counts as received.
      args: [...common, '--synchronous', '--status-interval', String(statusSeconds), '--verbose'],
      env,
      limitMs: null,
      onError: report,
      signal: stopped.signal,
    })
  } finally {
    stopped.abort()
    await beside
  }
  report('Stopped.')
  return 0
}

/** Notes until when the archive has everything, for the metrics and `doctor`. */
const noteArchive = async ({ url, slot, timeline }: FollowOptions, signal: AbortSignal): Promise<void> => {
  let earlier: ArchiveMark | undefined
  let isTold = false
  while (!signal.aborted) {
    try {
      const mark = await readArchiveMark(url, slot)
      if (earlier === undefined || hasReceived(mark, earlier)) {
        const isNoted = earlier === undefined || (await noteBackup(url, timeline, { archivedUntil: earlier.now }))
        if (!isNoted && !isTold) report('The database does not note until when the archive is complete.')
        isTold ||= !isNoted
        earlier = mark
      }
    } catch {
      // pg_receivewal says that the database is away.
    }
    await pause(lookEveryMs, signal)
  }
}

/** The age of the newest one decides, so that a restart takes none too many. */
const takeBases = async (options: FollowOptions, signal: AbortSignal): Promise<void> => {
  const { folder, baseEveryHours, takeBase } = options
  if (baseEveryHours === undefined) return
  while (!signal.aborted) {
    const dueMs = dueInMs(folder, baseEveryHours)
    if (dueMs > 0) await pause(Math.min(dueMs, hourMs), signal)
    else
      try {
        const { made } = await takeBase(signal)
        report(`Made ${made.dir}, verified.`)
      } catch (error) {
        if (signal.aborted) return
        report(`No base back-up, next try in ${baseAgainMs / 60_000} minutes: ${messageOf(error)}`)
        await pause(baseAgainMs, signal)
      }
  }
}

const dueInMs = (folder: string, everyHours: number): number => {
  const newest = listBases(folder).at(-1)
  return newest ? Date.parse(newest.ended_at) + everyHours * hourMs - systemClock.now().getTime() : 0
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const report = (line: string): void => void process.stderr.write(`${line}\n`)
