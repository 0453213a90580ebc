import { cpus } from 'node:os'
import { table } from '../../lab/report/table.ts'
import type { OutgoingFindings } from './inside.ts'
import { markerAddresses, markerPorts } from './namespace.ts'
import { outgoingBreaches } from './play.ts'

/** For the terminal. */
export const outgoingReport = (findings: OutgoingFindings, { command, at }: { command: string; at: Date }): string => {
  const { leakMarkers, controls, fields, tricks, lookUps, redirects } = findings
  const breaches = outgoingBreaches(findings)
  const verdict =
    breaches.length === 0
      ? '**No leak marker was reached.**'
      : `**It is broken in ${breaches.length} places:**\n\n${breaches.map((breach) => `- ${breach}`).join('\n')}`
  return `# Attacks on the ways out

Made on ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, Node ${process.versions.node}, by \`${command}\`.

${verdict}

The whole service, with its default settings but for one more allowed port, runs in a network namespace without a way out. Its loopback holds ${leakMarkers} leak markers: ${markerAddresses.join(', ')}, each on the ports ${markerPorts.join(', ')}, and the public host's port 80. A connection is a hit, whatever is said on it. Names come from a name server of the attacker, whose answers live for zero seconds.

## Controls: the leak markers can be reached

${table(
  ['control', 'outcome'],
  [
    ['each leak marker, asked directly', `${controls.markersReached} of ${leakMarkers - 1} answer`],
    ['a plain `fetch` to loopback in disguise', `${controls.encodingsReached} of 7 spellings reach it`],
    ['a delivery to an honest receiver', controls.honestDelivered ? 'acknowledged' : 'FAILED'],
    [
      'a webhook on 10.0.0.5, where the operator allows that range',
      controls.allowedReached ? 'reaches the leak marker' : 'FAILED',
    ],
  ],
)}

## Hostile addresses (T14, T15, B2 rows 56–60)

${table(
  ['field', 'addresses', 'answers'],
  fields.map(({ field, tried, answers }) => [field, String(tried), counted(answers)]),
)}

## Names that change their mind (T16, B2 row 61)

${lookUps} look-ups of hostile names, at registrations, attempts and runs.

${table(
  [
    'name',
    'what it answers',
    'registered',
    'refused',
    'attempts answered by the public host',
    'attempts stopped',
    'runs failed',
  ],
  tricks.map((one) => [
    one.trick,
    one.what,
    ...[one.taken, one.refused, one.answered, one.stopped, one.runsFailed].map(String),
  ]),
)}

## Redirects (T17)

Each to every leak marker, by http and https, with \`Location\`, \`Refresh\`, \`Content-Location\` and a page that leads there. A delivery fails with three attempts and the public host is asked three times: nothing is followed. Two runs each, of a remote agent and of an agent with tools.

${table(
  ['status', 'deliveries, all failed', 'requests at the public host', 'runs failed'],
  redirects.map((one) => [one.status, one.deliveries, one.requests, one.runs].map(String)),
)}
`
}

const counted = (answers: Record<string, number>): string =>
  Object.entries(answers)
    .map(([status, times]) => `${status}: ${times}`)
    .join(', ')
