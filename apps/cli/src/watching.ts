import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Session } from './session.ts'

const everyMs = 2_000

export const withWatching = (command: Command): Command =>
  command.option('--watch', 'repeat every 2 seconds until Ctrl-C')

/** Runs the work once, or again and again with `--watch`. */
export const repeatedly = async (
  { signal }: Pick<Session, 'signal'>,
  { watch = false }: { watch?: boolean },
  work: () => Promise<void>,
): Promise<void> => {
  await work()
  while (watch && !signal.aborted) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    if (!signal.aborted) await work()
  }
}
