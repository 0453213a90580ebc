import { cpus } from 'node:os'
import { quantile } from '../../lab/measure/statistics.ts'
import { table } from '../../lab/report/table.ts'
import type { PolicyFindings } from './play.ts'

export const policyBreaches = ({ loaded }: PolicyFindings): string[] =>
  loaded.flatMap(({ load, breaches }) => breaches.map((breach) => `${load.name}: ${breach}`))

/** For the terminal. */
export const policyReport = (findings: PolicyFindings, { command, at, loads }: Facts): string => {
  const { loaded, windowMs, maxBytes } = findings
  const breaches = policyBreaches(findings)
  return `# The heaviest work that is accepted

Made on ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, Node ${process.versions.node}, by \`${command}\`. Load of the machine: ${loads.map((load) => load.toFixed(1)).join(' before, ')} after.

${breaches.length === 0 ? '**No attack succeeded.**' : `**${breaches.length} attacks succeeded:**\n\n${breaches.map((breach) => `- ${breach}`).join('\n')}`}

An organisation of the smallest plan sends work with four connections, as fast as it may. Another one asks \`/livez\` of the gateway and the worker 40 times a second each, and starts ten runs a second and waits for them. Each window lasts ${windowMs / 1_000} s; the quiet one comes directly before. A turn of an event loop is measured in CPU time of its thread; at most 200 ms are allowed. The units allow ${(maxBytes / 1_048_576).toFixed(0)} MB for each process.

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
  ],
  loaded.map(({ load, quiet, loaded: noticed, tally, turnMs, peakBytes }) => [
    `${load.name}: ${load.what}`,
    Object.entries(tally)
      .map(([status, times]) => `${times} × ${status}`)
      .join(', '),
    `${turnMs.gateway.toFixed(0)} and ${turnMs.worker.toFixed(0)} ms`,
    ...(['gateway', 'worker', 'runs'] as const).map((what) => `${p99(quiet[what])} → ${p99(noticed[what])} ms`),
    `${mb(peakBytes.gateway)} and ${mb(peakBytes.worker)} MB`,
    String(noticed.failures.length),
  ]),
)}
`
}

type Facts = { command: string; at: Date; loads: readonly number[] }

const mb = (bytes: number): string => (bytes / 1_048_576).toFixed(0)

const p99 = (values: readonly number[]): string => quantile(values, 0.99).toFixed(0)
