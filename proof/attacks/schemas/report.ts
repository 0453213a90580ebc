import { cpus } from 'node:os'
import { quantile } from '../../lab/measure/statistics.ts'
import { table } from '../../lab/report/table.ts'
import type { SchemaFindings } from './play.ts'

// The validators of a thread and its heap limit, with the spare thread.
const maxGrownBytes = 800 * 1_048_576

export const schemaBreaches = ({ attacked, residentBytes: { before, after } }: SchemaFindings): string[] => [
  ...attacked.flatMap(({ shape, breaches }) => breaches.map((breach) => `${shape.name}: ${breach}`)),
  ...(after - before > maxGrownBytes ? [`memory of the gateway: ${mb(before)} MB became ${mb(after)} MB`] : []),
]

/** For the terminal. */
export const schemaReport = (findings: SchemaFindings, { command, at, loads }: Facts): string => {
  const { attacked, windowMs, threadsReplaced } = findings
  const breaches = schemaBreaches(findings)
  return `# Attacks with JSON Schemas

Made on ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, Node ${process.versions.node}, by \`${command}\`. Load of the machine: ${loads.map((load) => load.toFixed(1)).join(' before, ')} after.

${breaches.length === 0 ? '**No attack succeeded.**' : `**${breaches.length} attacks succeeded:**\n\n${breaches.map((breach) => `- ${breach}`).join('\n')}`}

One organisation sends hostile schemas with four connections, as fast as its credential may. Another one asks \`/livez\` of the gateway and the worker 40 times a second each, and starts ten runs a second of an agent whose \`input_schema\` has a pattern, so that it needs a thread. Each window lasts ${windowMs / 1_000} s; the quiet one comes directly before. ${threadsReplaced} threads of the gateway were stopped at a limit and replaced. Memory of the gateway: ${mb(findings.residentBytes.before)} MB before, ${mb(findings.residentBytes.after)} MB after all attacks.

${table(
  [
    'attack',
    'credential',
    'answers',
    '/livez gateway p99',
    '/livez worker p99',
    'POST /runs p99',
    'failed calls of others',
  ],
  attacked.map(({ shape, quiet, attacked: noticed, tally }) => [
    `${shape.name}: ${shape.what}`,
    shape.credential,
    Object.entries(tally)
      .map(([status, times]) => `${times} × ${status}`)
      .join(', '),
    ...(['gateway', 'worker', 'runs'] as const).map((what) => `${p99(quiet[what])} → ${p99(noticed[what])} ms`),
    String(noticed.failures.length),
  ]),
)}
`
}

type Facts = { command: string; at: Date; loads: readonly number[] }

const mb = (bytes: number): string => (bytes / 1_048_576).toFixed(0)

const p99 = (values: readonly number[]): string => quantile(values, 0.99).toFixed(0)
