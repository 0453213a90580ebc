import type { DeploymentComparison, RollbackMetric } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { localTime } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { repeatedly, withWatching } from '../watching.ts'

export const addReleases = (program: Command): void => {
  const group = program.command('releases').description('list releases, compare and promote a canary, and roll back')
  const compare = withExamples(group, 'ars releases list')
    .command('compare <release>')
    .description('compare a canary with the running version')
  withExamples(
    withWatching(compare).action(acting(show)),
    'ars releases compare dep_01kf3xw0fqe1vrr9m8sdv2wbx4 --watch',
  )
}

const show = async (session: Session, release: string, options: { watch?: boolean }) => {
  const { terminal, client, signal } = session
  await repeatedly(session, options, async () => {
    const compared = await client().deployments.compare(release, { signal })
    terminal.result(compared, () => describeComparison(compared, terminal.paint))
  })
  return undefined
}

const describeComparison = (compared: DeploymentComparison, paint: Terminal['paint']): string => {
  const { canary, running, rules, status, window_seconds, until } = compared
  const heading = (column: string, text: string) => (column === 'heading' ? paint('faint', text) : text)
  const { word, show: ms } = metrics.latency_p95_ms
  const figures = [
    ['runs', String(canary.runs), String(running?.runs ?? '')],
    [metrics.failure_rate.word, rangeOf('failure_rate', canary), rangeOf('failure_rate', running)],
    ['latency p50', maybe(ms, canary.latency_p50_ms), maybe(ms, running?.latency_p50_ms)],
    [word, rangeOf('latency_p95_ms', canary), rangeOf('latency_p95_ms', running)],
    [metrics.cost_per_run_usd.word, rangeOf('cost_per_run_usd', canary), rangeOf('cost_per_run_usd', running)],
  ]
  const heads = ['', `CANARY v${canary.version}`, running ? `RUNNING v${running.version}` : 'RUNNING']
  const judged = rules.map((rule) => [ruleOf(rule), stateOf(rule)])
  return [
    `${status}, runs of the ${window_seconds} s until ${localTime(until)}`,
    table(heads, figures, heading),
    ...(judged.length === 0 ? [] : [table(['RULE', 'STATE'], judged, heading)]),
  ].join('\n\n')
}

type Rule = DeploymentComparison['rules'][number]

const ruleOf = ({ metric, above }: Rule): string =>
  isKnown(metric) ? `${metrics[metric].word} above ${metrics[metric].show(above)}` : `${metric} above ${above}`

const stateOf = ({ is_broken, runs_needed }: Rule): string => {
  if (is_broken) return 'broken'
  return runs_needed > 0 ? `needs ${runs_needed} more runs` : 'kept'
}

/** `10 % (3.02 % to 28.36 %)`: the value and its bounds with 99 % confidence. */
const rangeOf = (metric: RollbackMetric, side: DeploymentComparison['running']): string => {
  const estimate = side?.[metric]
  if (!estimate) return ''
  const { show } = metrics[metric]
  const upTo = estimate.at_most === null ? 'or more' : `to ${show(estimate.at_most)}`
  return `${show(estimate.value)} (${show(estimate.at_least)} ${upTo})`
}

const maybe = (show: (value: number) => string, value: number | null | undefined): string =>
  typeof value === 'number' ? show(value) : ''

const rounded = (value: number, digits: number): string => String(Number(value.toFixed(digits)))

const metrics: Readonly<Record<RollbackMetric, { word: string; show(value: number): string }>> = {
  failure_rate: { word: 'failure rate', show: (value) => `${rounded(value * 100, 2)} %` },
  latency_p95_ms: { word: 'latency p95', show: (value) => `${rounded(value, 0)} ms` },
  cost_per_run_usd: { word: 'cost per run', show: (value) => `$${rounded(value, 6)}` },
}

const isKnown = (metric: string): metric is RollbackMetric => metric in metrics
