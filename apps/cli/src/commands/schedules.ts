import type { SchedulesCreateParams } from '@agent-run-service/sdk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { CommandError } from '../exit-code.ts'
import { readMetadata, readObject } from '../input.ts'
import { readSeconds } from '../moment.ts'
import { findPipelineId } from '../pipeline-name.ts'
import { acting, type Session } from '../session.ts'
import { describeSchedule } from './schedule-view.ts'

/** Creates schedules. The other commands follow from the operations of the API. */
export const addSchedules = (program: Command): void => {
  const schedules = withExamples(
    program.command('schedules').description('run agents and pipelines on a schedule'),
    `ars schedules create "Morning report" --agent summariser --cron '0 9 * * 1-5' --time-zone Europe/Berlin`,
    'ars schedules list',
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
}

const readInterval = (text: string): number => {
  const seconds = readSeconds(text)
  if (seconds === null) throw new InvalidArgumentError('Must be a duration, such as 15m, 2h or 1d.')
  return seconds
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
