import type { Analytics, AnalyticsFigures, Usage, UsageFigures } from '@agent-run-service/sdk'
import { ago, ids, now } from './base.ts'

const hour = 3_600_000

/** A number from 0 to 1 that is the same for the same place. */
const noise = (n: number): number => (Math.imul(n + 11, 2_654_435_761) >>> 8) / 2 ** 24

/** Figures of a number of runs. `trouble` is the share that fails. */
const figuresOf = (runs: number, trouble = 0.02): UsageFigures => {
  const failed = Math.round(runs * trouble)
  const cancelled = Math.round(runs * 0.008)
  return {
    runs,
    completed: runs - failed - cancelled,
    failed,
    cancelled,
    input_tokens: runs * 2_310,
    output_tokens: runs * 402,
    cached_tokens: runs * 910,
    cost_usd: runs * 0.0087,
    unpriced_runs: 0,
  }
}

const nothing = figuresOf(0)
const dayRuns = Array.from({ length: 12 }, (_, n) =>
  Math.round(([0, 6].includes(n % 7) ? 42_000 : 118_000) * (0.85 + noise(n) / 3)),
)
const monthRuns = dayRuns.reduce((sum, runs) => sum + runs, 0)
const agents = [
  [ids.triage, 'Ticket triage', 0.46, 0.011, 1],
  [ids.refunds, 'Refunds', 0.27, 0.034, 2.6],
  [ids.invoices, 'Invoice reader', 0.16, 0.019, 4.1],
  [ids.meetings, 'Meeting notes', 0.08, 0.006, 7.5],
  [ids.contracts, 'Contract review', 0.03, 0.052, 19],
] as const

export const usage: Usage = {
  object: 'usage',
  plan: 'business',
  period: { start: '2026-03-01T00:00:00.000Z', end: '2026-04-01T00:00:00.000Z' },
  calls: { used: monthRuns + 318, limit: 5_000_000, remaining: 5_000_000 - monthRuns - 318 },
  rate_limit: { requests_per_minute: 10_000, burst: 15_000 },
  concurrency: { used: 214, limit: 500 },
  storage: { used_bytes: 91_268_055_040, limit_bytes: 107_374_182_400 },
  as_of: ago(3, 'seconds'),
  totals: { ...figuresOf(monthRuns), unpriced_runs: 1_204 },
  by_agent: agents.map(([agent_id, name, share, trouble]) => ({
    agent_id,
    name,
    figures: figuresOf(Math.round(monthRuns * share), trouble),
  })),
  by_api_key: (
    [
      [ids.webKey, 'Web shop', 0.71],
      [ids.nightKey, 'Night jobs', 0.28],
      [null, null, 0.01],
    ] as const
  ).map(([api_key_id, name, share]) => ({ api_key_id, name, figures: figuresOf(Math.round(monthRuns * share)) })),
  by_day: dayRuns.map((runs, n) => ({
    date: new Date(Date.UTC(2026, 2, n + 1)).toISOString().slice(0, 10),
    figures: figuresOf(runs, n === 9 ? 0.11 : 0.02),
  })),
}

export const noUsage: Usage = {
  ...usage,
  calls: { used: 0, limit: 5_000_000, remaining: 5_000_000 },
  concurrency: { used: 0, limit: 500 },
  storage: { used_bytes: 0, limit_bytes: 107_374_182_400 },
  totals: nothing,
  by_agent: [],
  by_api_key: [],
  by_day: [],
}

/** The same with durations; `slow` stretches them. */
const analysed = (runs: number, trouble = 0.02, slow = 1): AnalyticsFigures => {
  const found = figuresOf(runs, trouble)
  const hasRuns = runs > 0
  return {
    ...found,
    success_rate: hasRuns ? found.completed / (found.completed + found.failed) : null,
    latency_p50_ms: hasRuns ? 1_840 * slow : null,
    latency_p95_ms: hasRuns ? 6_210 * slow : null,
    latency_p99_ms: hasRuns ? 11_900 * slow : null,
    queue_wait_p95_ms: hasRuns ? 140 * slow : null,
    webhook_success_rate: hasRuns ? 0.9987 : null,
    guardrail_blocks: Math.round(runs * 0.0004),
  }
}

const hours = Array.from({ length: 24 }, (_, n) => {
  const daylight = 1_400 + 5_600 * Math.max(0, Math.sin(((n + 4) / 24) * Math.PI * 2 - 1.2))
  const isTrouble = n >= 15 && n <= 17
  return {
    started_at: new Date(now - (24 - n) * hour).toISOString(),
    figures: analysed(
      Math.round(daylight * (0.9 + noise(n) / 5)),
      isTrouble ? 0.14 : 0.012 + noise(n + 50) / 60,
      (isTrouble ? 1.7 : 0.9) + noise(n + 90) / 4,
    ),
  }
})
const dayTotal = hours.reduce((sum, { figures }) => sum + figures.runs, 0)
const agentFigures = agents.map(([agent_id, name, share, trouble, slow]) => ({
  agent_id,
  name,
  figures: analysed(Math.round(dayTotal * share), trouble, slow),
}))

export const analytics: Analytics = {
  object: 'analytics',
  from: ago(24, 'hours'),
  to: ago(0, 'hours'),
  interval: 'hour',
  time_zone: 'UTC',
  as_of: ago(3, 'seconds'),
  totals: analysed(dayTotal, 0.031, 1.08),
  previous: { from: ago(48, 'hours'), to: ago(24, 'hours'), totals: analysed(Math.round(dayTotal * 0.91), 0.018) },
  series: hours,
  top_from: ago(24, 'hours'),
  top_agents: agentFigures,
  slowest_agents: [...agentFigures].reverse(),
  top_errors: [
    { code: 'model_error', runs: 1_608 },
    { code: 'tool_error', runs: 702 },
    { code: 'run_timeout', runs: 241 },
    { code: 'output_invalid', runs: 96 },
  ],
  groups: null,
}

export const noAnalytics: Analytics = {
  ...analytics,
  totals: analysed(0),
  previous: { ...analytics.previous, totals: analysed(0) },
  series: [],
  top_agents: [],
  slowest_agents: [],
  top_errors: [],
}
