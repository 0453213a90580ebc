import { cpus } from 'node:os'
import { quantile } from '../../lab/measure/statistics.ts'
import type { Metric } from '../../lab/report/outcome.ts'
import { table } from '../../lab/report/table.ts'
import { maxForeignShare } from '../pressure.ts'
import type { PolicyFindings } from './play.ts'

export const policyBreaches = ({ loaded }: PolicyFindings): string[] =>
  loaded.flatMap(({ load, breaches }) => breaches.map((breach) => `${load.name}: ${breach}`))

/** For the record. */
export const policyMetrics = ({ loaded }: PolicyFindings): Metric[] =>
  loaded.map(({ load, quiet, loaded: noticed, turnMs, peakBytes, foreignShare, isCrowded }) => [
    load.name,
    [
      `longest turns ${turnMs.gateway.toFixed(0)} and ${turnMs.worker.toFixed(0)} ms of CPU`,
      ...(['gateway', 'worker', 'runs'] as const).map(
        (what) => `${what} p99 ${p99(quiet[what])} → ${p99(noticed[what])} ms`,
      ),
      `memory ${mb(peakBytes.gateway)} and ${mb(peakBytes.worker)} MB`,
      `other programs ${percent(foreignShare)}${isCrowded ? ', so latencies are not judged' : ''}`,
    ].join('; '),
  ])

/** For the terminal. */
export const policyReport = (findings: PolicyFindings, { command, at, loads }: Facts): string => {
  const { loaded, windowMs, maxBytes } = findings
  const breaches = policyBreaches(findings)
  return `# The heaviest work that is accepted

Made on ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, Node ${process.versions.node}, by \`${command}\`. Load of the machine: ${loads.map((load) => load.toFixed(1)).join(' before, ')} after.

${breaches.length === 0 ? '**No attack succeeded.**' : `**${breaches.length} attacks succeeded:**\n\n${breaches.map((breach) => `- ${breach}`).join('\n')}`}

An organisation of the smallest plan sends work with four connections, as fast as it may. Another one asks \`/livez\` of the gateway and the worker 40 times a second each, and starts ten runs a second and waits for them. Each window lasts ${windowMs / 1_000} s; the quiet one comes directly before. A turn of an event loop is measured in CPU time of its thread; at most 200 ms are allowed. The units allow ${(maxBytes / 1_048_576).toFixed(0)} MB for each process. Latencies and failed calls of a load count when other programs used at most ${percent(maxForeignShare)} of the computer meanwhile.

${table(
  [
    'load',
    'answers',
    'longest turn, gateway and worker',
    '/livez gateway p99',
    '/livez worker p99',
    'run p99',
    'memory, gateway and worker',
    'failed calls of others',
    'other programs',
  ],
  loaded.map(({ load, quiet, loaded: noticed, tally, turnMs, peakBytes, foreignShare }) => [
    `${load.name}: ${load.what}`,
    Object.entries(tally)
      .map(([status, times]) => `${times} × ${status}`)
      .join(', '),
    `${turnMs.gateway.toFixed(0)} and ${turnMs.worker.toFixed(0)} ms`,
    ...(['gateway', 'worker', 'runs'] as const).map((what) => `${p99(quiet[what])} → ${p99(noticed[what])} ms`),
    `${mb(peakBytes.gateway)} and ${mb(peakBytes.worker)} MB`,
    String(noticed.failures.length),
    percent(foreignShare),
  ]),
)}
`
}

type Facts = { command: string; at: Date; loads: readonly number[] }

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

const mb = (bytes: number): string => (bytes / 1_048_576).toFixed(0)

const p99 = (values: readonly number[]): string => quantile(values, 0.99).toFixed(0)
