import type { Recovery } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { exitCodes } from '../exit-code.ts'
import { followJob, tellJobs } from '../job.ts'
import { type PageOptions, pageOf, tellPage, withPaging } from '../list.ts'
import { localTime, readMoment } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { statusStyle } from '../terminal.ts'

export const addRecoveryCommands = (webhooks: Command): void => {
  withExamples(
    withPaging(webhooks.command('missed <id>').description('list events that a webhook did not acknowledge'))
      .option('--since <time>', 'start of the window: 2h, 7d or a date and time')
      .option('--until <time>', 'end of the window')
      .action(acting(missed)),
    'ars webhooks missed wh_01m7ek7549ej9s2d1m7z8n0ycp --since 1d',
  )
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
  withExamples(
    withPaging(webhooks.command('recoveries <id>').description('list the recoveries of a webhook')).action(
      acting(list),
    ),
    'ars webhooks recoveries wh_01m7ek7549ej9s2d1m7z8n0ycp',
  )
  withExamples(
    webhooks
      .command('cancel-recovery <id> <recovery>')
      .description('cancel a recovery; the remaining events are not sent')
      .action(acting(cancel)),
    'ars webhooks cancel-recovery wh_01m7ek7549ej9s2d1m7z8n0ycp rec_01m7ek7549ej9s2d1m7z8n0ycp',
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

const missed = async ({ terminal, client, signal }: Session, id: string, options: PageOptions & Window) => {
  const { since, until } = windowOf(options)
  const window = {
    ...(since === undefined ? {} : { created_after: since }),
    ...(until === undefined ? {} : { created_before: until }),
  }
  const page = await client().webhooks.missed(id, { ...pageOf(options), ...window }, { signal })
  await tellPage(terminal, page, {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      CREATED: ({ created_at }) => localTime(created_at),
      TYPE: ({ type }) => type,
    },
    nothing: 'No missed events.',
  })
  return undefined
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
    progress: progressWords,
  })
  if (ended === 'interrupted') {
    terminal.note(`\nThe recovery continues. Check it with:  ars webhooks recoveries ${id}`)
    terminal.note(`Cancel it with:  ars webhooks cancel-recovery ${id} ${begun.id}`)
    return exitCodes.interrupted
  }
  const { status, progress } = ended
  terminal.result(ended, () => `${terminal.paint(statusStyle(status), status)}: ${progressWords(ended)}`)
  return status === 'cancelled' || progress.failed > 0 ? exitCodes.failed : undefined
}

const isOver = ({ status, progress: { found, delivered, failed } }: Recovery): boolean =>
  status === 'cancelled' || (status === 'completed' && delivered + failed >= found)

const progressWords = ({ progress }: Recovery): string => {
  const { found, delivered, failed } = progress
  const words = `${found} ${found === 1 ? 'event' : 'events'} missed, ${delivered} delivered, ${failed} failed`
  const left = found - delivered - failed
  return left > 0 ? `${words}, ${left} left` : words
}

const list = async ({ terminal, client, signal }: Session, id: string, options: PageOptions) => {
  await tellJobs(terminal, await client().webhooks.recoveries(id, pageOf(options), { signal }), {
    all: options.all,
    progress: progressWords,
    nothing: 'No recoveries found.',
  })
  return undefined
}

const cancel = async ({ terminal, client, signal }: Session, id: string, recoveryId: string) => {
  const recovery = await client().webhooks.cancelRecovery(id, recoveryId, { signal })
  terminal.result(recovery, () => `${recovery.id} is ${recovery.status}: ${progressWords(recovery)}`)
  return undefined
}
