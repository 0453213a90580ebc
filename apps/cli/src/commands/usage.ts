import type { Analytics, AnalyticsFigures, Usage } from '@agent-run-service/sdk'
import { type Command, Option } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { acting, type Session } from '../session.ts'
import { fields, table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { repeatedly, withWatching } from '../watching.ts'

export const addUsage = (program: Command): void => {
  const usage = program
    .command('usage')
    .description('show the limits of the plan and the use of a month')
    .option('--month <YYYY-MM>', 'a month of the last 13, UTC; this month by default')
  withExamples(withWatching(usage).action(acting(showUsage)), 'ars usage', 'ars usage --month 2026-10')
  const analytics = program.command('analytics').description('show how the runs of a period went')
  withExamples(
    withWatching(withPeriod(analytics))
      .addOption(
        new Option('--group-by <what>', 'also by agent, version, error code or API key').choices([
          'agent',
          'version',
          'error_code',
          'api_key',
        ]),
      )
      .action(acting(showAnalytics)),
    'ars analytics --interval hour',
    'ars analytics --agent summariser --group-by version',
  )
  withExamples(
    withPeriod(analytics.command('export').description('print the series as CSV')).action(acting(exportCsv)),
    'ars analytics export --interval day --from 2026-11-01T00:00:00Z > november.csv',
  )
}

const withPeriod = (command: Command): Command =>
  command
    .option('--from <time>', 'the begin; 24 hours before the end by default')
    .option('--to <time>', 'the end; now by default')
    .addOption(new Option('--interval <length>', 'the length of a point').choices(['minute', 'hour', 'day']))
    .option('--agent <agent>', 'runs of this agent: its name or id')
    .option('--agent-version <n>', 'runs of this version of the agent', Number)
    .option('--api-key-id <id>', 'runs that this API key created')
    .option('--time-zone <name>', 'where days begin, such as Europe/Berlin; UTC by default')

type Asked = {
  from?: string
  to?: string
  interval?: 'minute' | 'hour' | 'day'
  agent?: string
  agentVersion?: number
  apiKeyId?: string
  timeZone?: string
  groupBy?: 'agent' | 'version' | 'error_code' | 'api_key'
  watch?: boolean
}

const showUsage = async (session: Session, options: { month?: string; watch?: boolean }) => {
  const { terminal, client, signal } = session
  await repeatedly(session, options, async () => {
    const found = await client().usage.get(options.month === undefined ? {} : { month: options.month }, { signal })
    terminal.result(found, () => describeUsage(found, terminal.paint))
  })
  return undefined
}

const showAnalytics = async (session: Session, options: Asked) => {
  const { terminal, client, signal } = session
  const asked = { ...(await periodOf(session, options)), ...(options.groupBy && { group_by: options.groupBy }) }
  await repeatedly(session, options, async () => {
    const found = await client().analytics.get(asked, { signal })
    terminal.result(found, () => describeAnalytics(found, terminal.paint))
  })
  return undefined
}

const exportCsv = async (session: Session, options: Asked) => {
  const exported = await session.client().analytics.export(await periodOf(session, options), { signal: session.signal })
  session.terminal.result(exported, () => exported.content.trimEnd())
  return undefined
}

const periodOf = async ({ client, signal }: Session, options: Asked) => ({
  ...(options.from && { from: options.from }),
  ...(options.to && { to: options.to }),
  ...(options.interval && { interval: options.interval }),
  ...(options.agent && { agent_id: await findAgentId(client(), options.agent, signal) }),
  ...(options.agentVersion && { agent_version: options.agentVersion }),
  ...(options.apiKeyId && { api_key_id: options.apiKeyId }),
  ...(options.timeZone && { time_zone: options.timeZone }),
})

/** A quota of this size is none (`Usage.calls.limit`). */
const unlimitedCalls = 1_000_000_000_000

const describeUsage = (usage: Usage, paint: Terminal['paint']): string => {
  const { calls, rate_limit, concurrency, storage, totals } = usage
  return [
    fields([
      ['plan', usage.plan === 'none' ? 'none, the operator has set the limits' : usage.plan],
      [
        'calls',
        calls.limit < unlimitedCalls
          ? `${count(calls.used)} of ${count(calls.limit)}, ${count(calls.remaining)} left until ${usage.period.end}`
          : `${count(calls.used)}, no limit a month`,
      ],
      [
        'rate limit',
        `${count(rate_limit.requests_per_minute)} requests per minute, bursts of ${count(rate_limit.burst)}`,
      ],
      ['executing', `${concurrency.used} of ${concurrency.limit} runs`],
      ['stored', `${megabytes(storage.used_bytes)} of ${megabytes(storage.limit_bytes)}`],
      [
        'tokens',
        `${count(totals.input_tokens)} in (${count(totals.cached_tokens)} cached), ${count(totals.output_tokens)} out`,
      ],
      [
        'cost',
        `${dollars(totals.cost_usd)}${totals.unpriced_runs > 0 ? `, without ${totals.unpriced_runs} runs that have no price` : ''}`,
      ],
      ['as of', usage.as_of],
    ]),
    ...listed(
      ['AGENT', 'RUNS', 'FAILED', 'COST'],
      usage.by_agent.map(({ agent_id, name, figures }) => [name ?? agent_id, ...shortOf(figures)]),
      paint,
    ),
    ...listed(
      ['API KEY', 'RUNS', 'FAILED', 'COST'],
      usage.by_api_key.map(({ api_key_id, name, figures }) => [name ?? api_key_id ?? 'people', ...shortOf(figures)]),
      paint,
    ),
  ].join('\n\n')
}

const describeAnalytics = (found: Analytics, paint: Terminal['paint']): string => {
  const { totals, previous } = found
  const rows = figureRows.map(([word, show]) => [word, show(totals), show(previous.totals)])
  return [
    `${found.from} to ${found.to} by ${found.interval} (${found.time_zone}), as of ${found.as_of}`,
    table(['', 'NOW', 'BEFORE'], rows, headingOnly(paint)),
    ...listed(
      [found.interval.toUpperCase(), 'RUNS', 'SUCCESS', 'P95', 'COST'],
      found.series.slice(-shownPoints).map(({ started_at, figures }) => [started_at, ...lineOf(figures)]),
      paint,
    ),
    ...listed(
      ['GROUP', 'RUNS', 'SUCCESS', 'P95', 'COST'],
      (found.groups ?? []).map(({ key, name, figures }) => [name ?? key ?? 'people', ...lineOf(figures)]),
      paint,
    ),
    ...listed(
      ['TOP ERROR', 'RUNS'],
      found.top_errors.map(({ code, runs }) => [code, count(runs)]),
      paint,
    ),
  ].join('\n\n')
}

const shownPoints = 24

const figureRows: readonly (readonly [string, (figures: AnalyticsFigures) => string])[] = [
  ['runs', ({ runs }) => count(runs)],
  ['failed', ({ failed }) => count(failed)],
  ['cancelled', ({ cancelled }) => count(cancelled)],
  ['success', ({ success_rate }) => percent(success_rate)],
  ['latency p50', ({ latency_p50_ms }) => ms(latency_p50_ms)],
  ['latency p95', ({ latency_p95_ms }) => ms(latency_p95_ms)],
  ['latency p99', ({ latency_p99_ms }) => ms(latency_p99_ms)],
  ['queue wait p95', ({ queue_wait_p95_ms }) => ms(queue_wait_p95_ms)],
  ['tokens', ({ input_tokens, output_tokens }) => count(input_tokens + output_tokens)],
  ['cost', ({ cost_usd }) => dollars(cost_usd)],
  ['webhook success', ({ webhook_success_rate }) => percent(webhook_success_rate)],
  ['guardrail blocks', ({ guardrail_blocks }) => count(guardrail_blocks)],
]

const lineOf = (figures: AnalyticsFigures): string[] => [
  count(figures.runs),
  percent(figures.success_rate),
  ms(figures.latency_p95_ms),
  dollars(figures.cost_usd),
]

const shortOf = ({ runs, failed, cost_usd }: Usage['totals']): string[] => [
  count(runs),
  count(failed),
  dollars(cost_usd),
]

/** A table, or nothing without rows. */
const listed = (heads: readonly string[], rows: readonly string[][], paint: Terminal['paint']): string[] =>
  rows.length === 0 ? [] : [table(heads, rows, headingOnly(paint))]

const headingOnly =
  (paint: Terminal['paint']) =>
  (column: string, text: string): string =>
    column === 'heading' ? paint('faint', text) : text

const count = (value: number): string => value.toLocaleString('en')
const dollars = (value: number): string => `$${value.toFixed(value !== 0 && value < 0.01 ? 6 : 2)}`
const percent = (value: number | null): string => (value === null ? '–' : `${(value * 100).toFixed(2)} %`)
const ms = (value: number | null): string => (value === null ? '–' : `${count(Math.round(value))} ms`)
const megabytes = (bytes: number): string => `${count(Math.round(bytes / 1_000_000))} MB`
