import type { Schedule, ScheduleFiringStatus, SchedulesCreateParams } from '@agent-run-service/sdk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { CommandError } from '../exit-code.ts'
import { readMetadata, readObject } from '../input.ts'
import { type PageOptions, pageOf, tellPage, withPaging } from '../list.ts'
import { localTime, readSeconds } from '../moment.ts'
import { findPipelineId } from '../pipeline-name.ts'
import { findScheduleId } from '../schedule-name.ts'
import { acting, type Session } from '../session.ts'
import { fields } from '../table.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { clean } from '../text.ts'

/** Creates, shows and fires schedules. The other commands follow from the operations of the API. */
export const addSchedules = (program: Command): void => {
  const schedules = withExamples(
    program.command('schedules').description('run agents and pipelines on a schedule'),
    `ars schedules create "Morning report" --agent summariser --cron '0 9 * * 1-5' --time-zone Europe/Berlin`,
    'ars schedules list',
  )
  withExamples(
    withPaging(schedules.command('list').description('list schedules with their next date'))
      .option('--agent <agent>', 'only those that run this agent, by its id or its name')
      .option('--pipeline <pipeline>', 'only those that run this pipeline, by its id or its name')
      .addOption(new Option('--status <status>', 'only those').choices(['active', 'paused']))
      .action(acting(list)),
    'ars schedules list',
    'ars schedules list --status paused',
  )
  withExamples(
    schedules.command('get <schedule>').description('show a schedule with its next dates').action(acting(get)),
    'ars schedules get "Morning report"',
  )
  withExamples(
    schedules
      .command('create <name>')
      .description('create a schedule for an agent or a pipeline')
      .option('--agent <agent>', 'the agent to run, by its id or its name')
      .option('--pipeline <pipeline>', 'the pipeline to run, by its id or its name')
      .option('--cron <expression>', 'minute, hour, day of month, month, day of week')
      .option('--time-zone <name>', 'the time zone of --cron, such as Europe/Berlin; UTC by default')
      .option('--every <duration>', 'at intervals: 15m, 2h or 1d; at least 60 seconds', readInterval)
      .option('--at <time>', 'once, at this date and time: 2026-12-24T18:00:00Z')
      .option('--input <json>', 'input of each run: JSON, @file, or - for stdin', '{}')
      .option('--metadata <json>', 'metadata of each run, an object of strings: JSON, @file, or -')
      .addOption(new Option('--missed <rule>', 'what happens with missed dates').choices(['skip', 'once']))
      .addOption(
        new Option('--overlap <rule>', 'what a firing does while an earlier one runs').choices([
          'skip',
          'queue',
          'allow',
        ]),
      )
      .option('--monthly-budget-usd <amount>', 'skip firings when this much was spent in a month', Number)
      .action(acting(create)),
    `ars schedules create "Morning report" --agent summariser --cron '0 9 * * 1-5' --time-zone Europe/Berlin`,
    'ars schedules create Sync --pipeline Invoices --every 15m --overlap queue',
    'ars schedules create Launch --agent summariser --at 2026-12-24T18:00:00Z --input @launch.json',
  )
  withExamples(
    schedules.command('pause <schedule>').description('pause a schedule').action(acting(pause)),
    'ars schedules pause "Morning report"',
  )
  withExamples(
    schedules.command('resume <schedule>').description('resume a schedule').action(acting(resume)),
    'ars schedules resume "Morning report"',
  )
  withExamples(
    schedules.command('run <schedule>').description('fire a schedule now').action(acting(run)),
    'ars schedules run "Morning report"',
  )
  withExamples(
    withPaging(schedules.command('firings <schedule>').description('list the firings of a schedule, newest first'))
      .option('--status <list>', 'only these statuses, separated by commas')
      .action(acting(firings)),
    'ars schedules firings "Morning report" --status skipped,failed',
  )
}

const readInterval = (text: string): number => {
  const seconds = readSeconds(text)
  if (seconds === null) throw new InvalidArgumentError('Must be a duration, such as 15m, 2h or 1d.')
  return seconds
}

type ListOptions = PageOptions & { agent?: string; pipeline?: string; status?: 'active' | 'paused' }

const list = async (session: Session, options: ListOptions) => {
  const { terminal, signal } = session
  const client = session.client()
  const { agent, pipeline, status } = options
  const asked = {
    ...pageOf(options),
    ...(agent === undefined ? {} : { agent_id: await findAgentId(client, agent, signal) }),
    ...(pipeline === undefined ? {} : { pipeline_id: await findPipelineId(client, pipeline, signal) }),
    ...(status === undefined ? {} : { status: [status] }),
  }
  await tellPage(terminal, await client.schedules.list(asked, { signal }), {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      STATUS: ({ status }) => status,
      NEXT: ({ next_dates }) => localTime(next_dates[0] ?? null),
      TIMING: timingText,
      TARGET: ({ agent_id, pipeline_id }) => agent_id ?? pipeline_id ?? '',
      NAME: ({ name }) => name,
    },
    nothing: 'No schedules found. Create one with: ars schedules create --help',
  })
  return undefined
}

const get = async (session: Session, given: string) => {
  const { terminal, signal } = session
  const client = session.client()
  const schedule = await client.schedules.get(await findScheduleId(client, given, signal), { signal })
  terminal.result(schedule, () => describeSchedule(terminal, schedule))
  return undefined
}

type CreateOptions = {
  agent?: string
  pipeline?: string
  cron?: string
  timeZone?: string
  every?: number
  at?: string
  input: string
  metadata?: string
  missed?: 'skip' | 'once'
  overlap?: 'skip' | 'queue' | 'allow'
  monthlyBudgetUsd?: number
}

const create = async (session: Session, name: string, options: CreateOptions) => {
  const { terminal, signal } = session
  const client = session.client()
  const { agent, pipeline, cron, timeZone, every, at, metadata, missed, overlap, monthlyBudgetUsd } = options
  requireOne('--agent, --pipeline', [agent, pipeline])
  requireOne('--cron, --every, --at', [cron, every, at])
  const body: SchedulesCreateParams = {
    name,
    ...(agent === undefined ? {} : { agent_id: await findAgentId(client, agent, signal) }),
    ...(pipeline === undefined ? {} : { pipeline_id: await findPipelineId(client, pipeline, signal) }),
    ...(cron === undefined ? {} : { cron }),
    ...(timeZone === undefined ? {} : { time_zone: timeZone }),
    ...(every === undefined ? {} : { interval_seconds: every }),
    ...(at === undefined ? {} : { once_at: at }),
    input: await readObject(options.input, '--input', 'json'),
    ...(metadata === undefined ? {} : { metadata: await readMetadata(metadata) }),
    ...(missed === undefined ? {} : { missed }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(monthlyBudgetUsd === undefined ? {} : { monthly_budget_usd: monthlyBudgetUsd }),
  }
  const schedule = await client.schedules.create(body, { signal })
  terminal.result(schedule, () => describeSchedule(terminal, schedule))
  return undefined
}

const requireOne = (flags: string, given: readonly unknown[]): void => {
  if (given.filter((value) => value !== undefined).length === 1) return
  throw new CommandError(`Give exactly one of ${flags}`, { advice: 'Examples: ars schedules create --help' })
}

const pause = async (session: Session, given: string) => {
  const client = session.client()
  const id = await findScheduleId(client, given, session.signal)
  tellState(session.terminal, await client.schedules.pause(id, { signal: session.signal }))
  return undefined
}

const resume = async (session: Session, given: string) => {
  const client = session.client()
  const id = await findScheduleId(client, given, session.signal)
  tellState(session.terminal, await client.schedules.resume(id, { signal: session.signal }))
  return undefined
}

const tellState = (terminal: Terminal, schedule: Schedule): void => {
  const [next] = schedule.next_dates
  const then = next === undefined ? '' : ` Its next date is ${localTime(next)}.`
  terminal.result(schedule, () => `${clean(schedule.name)} (${schedule.id}) is ${schedule.status}.${then}`)
}

const run = async (session: Session, given: string) => {
  const { terminal, signal } = session
  const client = session.client()
  const id = await findScheduleId(client, given, signal)
  const firing = await client.schedules.run(id, { signal })
  terminal.result(firing, () => `${firing.id} is ${firing.status}.`)
  if (!terminal.isJson) terminal.note(`See what became of it: ars schedules firings ${id}`)
  return undefined
}

const firings = async (session: Session, given: string, options: PageOptions & { status?: string }) => {
  const { terminal, signal } = session
  const client = session.client()
  const asked = {
    ...pageOf(options),
    ...(options.status === undefined ? {} : { status: options.status.split(',') as ScheduleFiringStatus[] }),
  }
  const page = await client.schedules.firings(await findScheduleId(client, given, signal), asked, { signal })
  await tellPage(terminal, page, {
    all: options.all,
    columns: {
      DATE: ({ date }) => localTime(date),
      KIND: ({ kind }) => kind,
      STATUS: ({ status }) => status,
      CODE: ({ code }) => code ?? '',
      RUN: ({ run_id, pipeline_run_id }) => run_id ?? pipeline_run_id ?? '',
      'MISSED FROM': ({ missed_from }) => localTime(missed_from),
      ID: ({ id }) => id,
    },
    nothing: 'It has not fired yet.',
  })
  return undefined
}

const timingText = ({ cron, time_zone, interval_seconds, once_at }: Schedule): string => {
  if (cron !== null) return `${cron} ${time_zone ?? 'UTC'}`
  return interval_seconds === null ? `once at ${localTime(once_at)}` : `every ${intervalText(interval_seconds)}`
}

/** In the largest unit that gives a whole number. */
const intervalText = (seconds: number): string => {
  const [name, size] = units.find(([, each]) => seconds % each === 0) ?? ['s', 1]
  return `${seconds / size} ${name}`
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const

const describeSchedule = (terminal: Terminal, schedule: Schedule): string => {
  const { monthly_budget_usd: budget, next_dates: next } = schedule
  const head = fields([
    ['id', schedule.id],
    ['name', clean(schedule.name)],
    ['status', terminal.paint(statusStyle(schedule.status), schedule.status)],
    ['paused', schedule.pause_reason && `${schedule.pause_reason}, ${localTime(schedule.paused_at)}`],
    ['timing', timingText(schedule)],
    ['target', schedule.agent_id ?? schedule.pipeline_id],
    ['missed', schedule.missed],
    ['overlap', schedule.overlap],
    ['budget', budget === null ? null : `$${schedule.spent_usd} of $${budget} in this month`],
    ['created by', schedule.created_by],
  ])
  return next.length === 0
    ? head
    : [head, ['Next dates (local time)', ...next.map((date) => `  ${localTime(date)}`)].join('\n')].join('\n\n')
}
