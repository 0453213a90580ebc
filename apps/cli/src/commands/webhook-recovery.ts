import type { Recovery } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { exitCodes } from '../exit-code.ts'
import { followJob } from '../job.ts'
import { localTime, readMoment } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { statusStyle } from '../terminal.ts'

export const addRecoveryCommands = (webhooks: Command): void => {
  withExamples(
    webhooks
      .command('recover <id>')
      .description('deliver the missed events of a webhook, oldest first, and show the progress')
      .requiredOption('--since <time>', 'start of the window: 2h, 7d or a date and time')
      .option('--until <time>', 'end of the window (default now)')
      .option('--no-wait', 'do not wait until it ends')
      .action(acting(recover)),
    'ars webhooks recover wh_01m7ek7549ej9s2d1m7z8n0ycp --since 2h',
  )
}

type Window = { since?: string; until?: string }

/** Both ends in the format of the API; a missing end is omitted. */
const windowOf = <Given extends Window>(window: Given): Pick<Given, 'since' | 'until'> => {
  const now = Date.now()
  const { since, until } = window
  const read = {
    ...(since === undefined ? {} : { since: readMoment(since, now) }),
    ...(until === undefined ? {} : { until: readMoment(until, now) }),
  }
  return read as Pick<Given, 'since' | 'until'>
}

type RecoverOptions = { since: string; until?: string; wait: boolean }

const recover = async (session: Session, id: string, options: RecoverOptions) => {
  const { terminal, signal } = session
  const client = session.client()
  const begun = await client.webhooks.recover(id, windowOf(options), { signal })
  if (!options.wait) {
    terminal.result(begun, () => `${begun.id} is running.`)
    if (!terminal.isJson) terminal.note(`Check it with: ars webhooks recoveries ${id}`)
    return undefined
  }
  if (!terminal.isJson) {
    terminal.note(`Recovering events from ${localTime(begun.since)} to ${localTime(begun.until)} as ${begun.id}`)
  }
  const ended = await followJob(session, {
    read: () => client.webhooks.recovery(id, begun.id, { signal }),
    isOver,
    progress: progressOf,
  })
  if (ended === 'interrupted') {
    terminal.note(`\nThe recovery continues. Check it with:  ars webhooks recoveries ${id}`)
    terminal.note(`Cancel it with:  ars webhooks cancel-recovery ${id} ${begun.id}`)
    return exitCodes.interrupted
  }
  const { status, progress } = ended
  terminal.result(ended, () => `${terminal.paint(statusStyle(status), status)}: ${progressOf(ended)}`)
  return status === 'cancelled' || progress.failed > 0 ? exitCodes.failed : undefined
}

const isOver = ({ status, progress: { found, delivered, failed } }: Recovery): boolean =>
  status === 'cancelled' || (status === 'completed' && delivered + failed >= found)

export const progressOf = ({ progress }: Recovery): string => {
  const { found, delivered, failed } = progress
  const words = `${found} ${found === 1 ? 'event' : 'events'} missed, ${delivered} delivered, ${failed} failed`
  const left = found - delivered - failed
  return left > 0 ? `${words}, ${left} left` : words
}
