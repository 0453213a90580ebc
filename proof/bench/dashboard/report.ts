import { cpus } from 'node:os'
import { table } from '../../lab/report/table.ts'
import { type Figure, printValue, shareOf, verdictOf } from './figures.ts'
import type { DashboardOptions } from './options.ts'

export type DashboardMetrics = {
  options: DashboardOptions
  startedAt: Date
  browser: string
  /** The load of the machine over the last minute, before and after. */
  load: readonly [before: number, after: number]
  figures: readonly Figure[]
  /** The longest task and the slowest interaction of each page, in ms. */
  pages: readonly { path: string; longestMs: number; elements: number }[]
  interactions: readonly { what: string; ms: number }[]
}

export const dashboardReport = (metrics: DashboardMetrics): string =>
  `${[heading(metrics), figures(metrics), pages(metrics)].join('\n\n')}\n`

const heading = ({ startedAt, options, browser, load }: DashboardMetrics): string => {
  const n = (value: number): string => value.toLocaleString('en')
  return `# Bench: the dashboard

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU (${cpus()[0]?.model.trim() ?? 'unknown'}), browser, gateway, worker and Postgres on one machine; load average ${load[0].toFixed(1)} before and ${load[1].toFixed(1)} after. Chromium ${browser}, 1,440 × 900, no throttling. Made by \`${options.command}\`.

One organisation with ${n(options.runs)} runs, ${n(options.agents)} agents, ${n(options.webhooks)} webhooks and ${n(options.auditEntries)} audit entries; a person with the role owner; the built files, served by the gateway over TLS. Bytes are those on the wire, compressed.`
}

const figures = (metrics: DashboardMetrics): string => {
  const rows = metrics.figures.map((figure) => [
    figure.what,
    printValue(figure),
    printValue({ value: figure.most, unit: figure.unit }),
    shareOf(figure),
    verdictOf(figure),
    figure.note ?? '',
  ])
  return `## Budgets

${table(['what', 'measured', 'at most', 'of the budget', 'verdict', ''], rows)}`
}

const pages = (metrics: DashboardMetrics): string => `## Each page, opened anew with a warm cache

A task blocks the page while it runs; the browser reports those above 50 ms.

${table(
  ['page', 'longest task', 'elements'],
  metrics.pages.map(({ path, longestMs, elements }) => [
    `\`${path}\``,
    longestMs === 0 ? 'below 50 ms' : `${longestMs.toFixed(0)} ms`,
    elements.toLocaleString('en'),
  ]),
)}

## Interactions, from the input to the next frame

${table(
  ['interaction', 'time'],
  metrics.interactions.map(({ what, ms }) => [what, ms === 0 ? 'below 16 ms' : `${ms.toFixed(0)} ms`]),
)}`
