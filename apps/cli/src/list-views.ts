import type {
  Batch,
  BatchResult,
  Delivery,
  Event,
  Pipeline,
  PipelineRun,
  Recovery,
  Run,
  Schedule,
  ScheduleFiring,
  Webhook,
} from '@agent-run-service/sdk'
import { doneOf } from './commands/batches.ts'
import { lastAnswer } from './commands/delivery-view.ts'
import { subjectOf } from './commands/events.ts'
import { timingText } from './commands/schedule-view.ts'
import { progressOf } from './commands/webhook-recovery.ts'
import { duration, localTime } from './moment.ts'
import { toJson } from './text.ts'

/** An item of a list, as the service sent it. */
type Item = Readonly<Record<string, unknown>>

type View = {
  /** Heading and cell. A text is the path of a field: `tools.approved`. */
  columns: Readonly<Record<string, string | ((item: Item) => string)>>
  nothing: string
  /** Parameters of the request that an option can replace. */
  asks?: Readonly<Record<string, string>>
  /** Options of the example in the help. */
  example?: string
  /** The heading of the column with the id of an agent, which shows its name. */
  agentColumn?: string
}

/** A view whose cells know the type of the item. */
const viewOf = <Of>(view: Omit<View, 'columns'> & { columns: Readonly<Record<string, (item: Of) => string>> }): View =>
  view as unknown as View

/** How the lists that follow from the operations of the API are shown. A list that is not here shows its simple fields. */
export const listViews: Readonly<Record<string, View>> = {
  'agents.list': {
    columns: {
      ID: 'id',
      NAME: 'name',
      STATUS: 'status',
      KIND: 'kind',
      VERSION: 'version',
      DESCRIPTION: 'description',
    },
    nothing: 'No agents found.',
  },
  'alerts.list': {
    columns: {
      ID: 'id',
      STATUS: 'status',
      SEVERITY: 'severity',
      TRIGGERED: 'triggered_at',
      VALUE: (alert) => `${field(alert, 'snapshot.metric')} ${rounded(field(alert, 'snapshot.value'))}`,
      RULE: 'rule.name',
    },
    nothing: 'No alerts found.',
  },
  'alertRules.list': {
    columns: {
      ID: 'id',
      STATE: ({ state, enabled, stale }) => (enabled ? `${state}${stale ? ' (stale)' : ''}` : 'disabled'),
      SEVERITY: 'severity',
      RULE: ({ metric, error_code, operator, threshold, window_seconds }) =>
        `${error_code ?? metric} ${operator} ${threshold} over ${window_seconds} s`,
      NAME: 'name',
    },
    nothing:
      'No alert rules found. Create one with: ars alert-rules create --name <name> --metric failure_rate --threshold 0.1',
  },
  'apiKeys.list': {
    columns: {
      ID: 'id',
      KEY: ({ prefix, hint }) => `${prefix}…${hint}`,
      NAME: 'name',
      ENDS: (key) => moment(key.revoked_at ?? key.grace_until ?? key.expires_at),
      'LAST USED': ({ last_used_at }) => moment(last_used_at),
      'CREATED BY': ({ created_by }) => String(created_by ?? 'operator'),
    },
    nothing: 'No API keys found.',
  },
  'batches.list': viewOf<Batch>({
    columns: {
      ID: ({ id }) => id,
      CREATED: ({ created_at }) => localTime(created_at),
      STATUS: ({ status }) => status,
      DONE: ({ progress }) => `${doneOf(progress)}/${progress.items}`,
      FAILED: ({ progress }) => String(progress.failed),
      AGENT: ({ agent_id }) => agent_id,
    },
    agentColumn: 'AGENT',
    nothing: 'No batches found.',
  }),
  'batches.results': viewOf<BatchResult>({
    columns: {
      ITEM: ({ id, custom_id }) => custom_id ?? id,
      STATUS: ({ status }) => status,
      RUN: ({ run_id }) => run_id ?? '',
      ERROR: ({ error }) => error?.code ?? '',
      OUTPUT: ({ output }) => (output === null ? '' : toJson(output)),
    },
    nothing: 'No results found.',
  }),
  'budgets.list': {
    columns: {
      ID: 'id',
      USD: 'monthly_budget_usd',
      SPENT: 'spent_usd',
      ACTION: 'budget_action',
      RESETS: 'resets_at',
    },
    nothing: 'No budgets found.',
  },
  'connectors.list': {
    columns: {
      ID: 'id',
      NAME: 'name',
      APPROVED: 'tools.approved',
      OFF: (connector) => String(sum(connector, ['tools.pending', 'tools.changed', 'tools.gone'])),
      URL: 'url',
    },
    nothing: 'No connectors found.',
  },
  'events.list': viewOf<Event>({
    columns: {
      ID: ({ id }) => id,
      CREATED: ({ created_at }) => localTime(created_at),
      TYPE: ({ type }) => type,
      ABOUT: subjectOf,
    },
    example: '--type run.failed --since 1d',
    nothing: 'No events found.',
  }),
  'members.list': {
    columns: { ID: 'id', USER: 'user_id', ROLE: 'role', 'E-MAIL': 'email', NAME: 'name' },
    nothing: 'No members found.',
  },
  'pipelines.list': viewOf<Pipeline>({
    columns: {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      VERSION: ({ version }) => String(version),
      STEPS: ({ definition }) => String(definition.steps.length),
      UPDATED: ({ updated_at }) => localTime(updated_at),
    },
    asks: { status: 'active' },
    nothing: 'No pipelines found. Create one with: ars pipelines apply -f <file>',
  }),
  'pipelineRuns.list': viewOf<PipelineRun>({
    columns: {
      ID: ({ id }) => id,
      CREATED: ({ created_at }) => localTime(created_at),
      STATUS: ({ status }) => status,
      PIPELINE: ({ pipeline_id }) => pipeline_id,
      STEPS: ({ steps }) => `${steps.filter(({ finished_at }) => finished_at !== null).length}/${steps.length}`,
      TOOK: ({ latency_ms }) => duration(latency_ms),
      ERROR: ({ error }) => (error === null ? '' : [error.code, error.step].filter(Boolean).join(' in ')),
    },
    example: '--pipeline Invoices --status failed --since 1d',
    nothing: 'No pipeline runs found.',
  }),
  'policies.list': {
    columns: {
      ID: 'id',
      STATUS: 'status',
      MODE: 'mode',
      VERSION: 'version',
      RULES: ({ rules }) => String((rules as readonly unknown[]).length),
      NAME: 'name',
    },
    nothing: 'No policies found. Create one with: ars policies create --template pii-redact',
  },
  'policyTemplates.list': {
    columns: { KEY: 'key', NAME: 'name', PARAMS: ({ params }) => paramsText(params as readonly Param[]) },
    nothing: 'No templates found.',
  },
  'runs.list': viewOf<Run>({
    columns: {
      ID: ({ id }) => id,
      CREATED: ({ created_at }) => localTime(created_at),
      STATUS: ({ status }) => status,
      AGENT: ({ agent_id }) => agent_id,
      TOOK: ({ latency_ms }) => duration(latency_ms),
      TOKENS: ({ tokens_used }) => String(tokens_used),
    },
    asks: { view: 'summary' },
    agentColumn: 'AGENT',
    example: '--agent test-echo --status failed --since 1d',
    nothing: 'No runs found.',
  }),
  'schedules.firings': viewOf<ScheduleFiring>({
    columns: {
      DATE: ({ date }) => localTime(date),
      KIND: ({ kind }) => kind,
      STATUS: ({ status }) => status,
      CODE: ({ code }) => code ?? '',
      RUN: ({ run_id, pipeline_run_id }) => run_id ?? pipeline_run_id ?? '',
      'MISSED FROM': ({ missed_from }) => localTime(missed_from),
      ID: ({ id }) => id,
    },
    example: '--status skipped,failed',
    nothing: 'It has not fired yet.',
  }),
  'schedules.list': viewOf<Schedule>({
    columns: {
      ID: ({ id }) => id,
      STATUS: ({ status }) => status,
      NEXT: ({ next_dates }) => localTime(next_dates[0] ?? null),
      TIMING: timingText,
      TARGET: ({ agent_id, pipeline_id }) => agent_id ?? pipeline_id ?? '',
      NAME: ({ name }) => name,
    },
    agentColumn: 'TARGET',
    nothing: 'No schedules found. Create one with: ars schedules create --help',
  }),
  'webhooks.deliveries': viewOf<Delivery>({
    columns: {
      ID: ({ id }) => id,
      CREATED: ({ created_at }) => localTime(created_at),
      STATUS: ({ status }) => status,
      EVENT: ({ event_type }) => event_type,
      SOURCE: ({ source }) => source,
      ATTEMPTS: ({ attempts }) => String(attempts.length),
      'LAST ANSWER': lastAnswer,
    },
    example: '--status failed --since 1d',
    nothing: 'No deliveries found.',
  }),
  'webhooks.list': viewOf<Webhook>({
    columns: {
      ID: ({ id }) => id,
      STATUS: ({ status }) => status,
      URL: ({ url }) => url,
      EVENTS: ({ events }) => events.join(','),
    },
    nothing: 'No webhooks found. Register one with: ars webhooks create <url> --events run.completed',
  }),
  'webhooks.missed': {
    columns: { ID: 'id', CREATED: 'created_at', TYPE: 'type' },
    nothing: 'No missed events.',
  },
  'webhooks.recoveries': viewOf<Recovery>({
    columns: {
      ID: ({ id }) => id,
      STATUS: ({ status }) => status,
      SINCE: ({ since }) => localTime(since),
      UNTIL: ({ until }) => localTime(until),
      PROGRESS: progressOf,
    },
    nothing: 'No recoveries found.',
  }),
}

/** The cell of a column. */
export const cellOf = (item: Item, column: View['columns'][string]): string => {
  if (typeof column === 'function') return column(item)
  const value = field(item, column)
  if (value === null || value === undefined) return ''
  return isMoment(value) ? localTime(value) : String(value)
}

/** A time of the API. */
export const isMoment = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/.test(value)

const field = (item: Item, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Item | null | undefined)?.[name], item)

const moment = (value: unknown): string => (isMoment(value) ? localTime(value) : 'never')

const sum = (item: Item, paths: readonly string[]): number =>
  paths.reduce((total, path) => total + Number(field(item, path) ?? 0), 0)

const rounded = (value: unknown): string => String(Number(Number(value).toPrecision(4)))

type Param = { name: string; required: boolean }

const paramsText = (params: readonly Param[]): string =>
  params.map(({ name, required }) => (required ? name : `[${name}]`)).join(' ')
