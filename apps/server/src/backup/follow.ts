import { serverBounds } from '../bounds.ts'
import { walFolder } from './backup-folder.ts'
import { connectionOf, type Programs } from './postgres-program.ts'

const maxSlotMs = serverBounds.slotCommand.ms
const statusSeconds = 5

type FollowOptions = { folder: string; slot: string; url: string; programs: Programs }

/**
 * Receives WAL as it is written, until SIGTERM or SIGINT. The slot makes the server keep what was not received yet, so
 * that a restart of either side leaves no gap. After a lost connection pg_receivewal connects again every 5 seconds.
 */
export const followWal = async ({ folder, slot, url, programs }: FollowOptions): Promise<number> => {
  const { args, env } = connectionOf(url)
  const common = [...args, '--directory', walFolder(folder), '--slot', slot, '--no-password']
  const onError = (line: string): void => void process.stderr.write(`${line}\n`)
  await programs('pg_receivewal', {
    args: [...common, '--create-slot', '--if-not-exists'],
    env,
    limitMs: maxSlotMs,
    onError,
  })
  const stopped = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopped.abort())
  process.stderr.write(`Receiving WAL into ${walFolder(folder)} through the slot ${slot}.\n`)
  await programs('pg_receivewal', {
    // Each piece is flushed when it arrives, so that a loss of power here loses nothing that the server counts as received.
    args: [...common, '--synchronous', '--status-interval', String(statusSeconds), '--verbose'],
    env,
    limitMs: null,
    onError,
    signal: stopped.signal,
  })
  process.stderr.write('Stopped.\n')
  return 0
}
