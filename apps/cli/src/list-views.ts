import { localTime } from './moment.ts'

/** An item of a list, as the service sent it. */
type Item = Readonly<Record<string, unknown>>

type View = {
  /** Heading and cell. A text is the path of a field: `tools.approved`. */
  columns: Readonly<Record<string, string | ((item: Item) => string)>>
  nothing: string
}

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
  'members.list': {
    columns: { ID: 'id', USER: 'user_id', ROLE: 'role', 'E-MAIL': 'email', NAME: 'name' },
    nothing: 'No members found.',
  },
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
