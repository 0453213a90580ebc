import { cpus } from 'node:os'
import { quantile, spreadOf } from '../lab/measure/statistics.ts'
import { table } from '../lab/report/table.ts'
import type { Framed } from './framing.ts'
import type { OutgoingFindings } from './outgoing/inside.ts'
import { outgoingBreaches } from './outgoing/play.ts'
import type { PolicyFindings } from './policies/play.ts'
import { policyBreaches } from './policies/report.ts'
import type { PortMetrics } from './ports.ts'
import { maxForeignShare, type Pressed, type Pressure, type PressureSize } from './pressure.ts'
import { bars, type Compared, type Judged } from './pressure-judge.ts'
import type { Felt } from './quiet-tenant.ts'
import type { RedisFindings } from './redis/play.ts'
import type { SchemaFindings } from './schemas/play.ts'
import { schemaBreaches } from './schemas/report.ts'

export type Findings = {
  command: string
  startedAt: Date
  /** Of the machine, when it began and when it ended: what others were doing. */
  loads: readonly [number, number]
  pressure?: Pressure & { size: PressureSize; judged: Judged[] }
  framing?: { framed: Framed[]; control: Framed }
  ports?: PortMetrics
  outgoing?: OutgoingFindings
  redis?: RedisFindings
  schemas?: SchemaFindings
  policies?: PolicyFindings
}

/** What must not be, on whatever machine. */
export const breachesOf = ({ pressure, framing, ports, outgoing, redis, schemas, policies }: Findings): string[] => [
  ...(pressure?.judged ?? []).flatMap(({ name, breaches }) => breaches.map((breach) => `${name}: ${breach}`)),
  ...(framing?.framed ?? []).flatMap(({ ambiguous, breaches }) =>
    breaches.map((breach) => `${ambiguous.what} (${ambiguous.reading}): ${breach}`),
  ),
  ...(framing && framing.control.breaches.length === 0 ? ['the proxy could not have seen a hidden request'] : []),
  ...(ports?.breaches ?? []),
  ...(outgoing ? outgoingBreaches(outgoing) : []),
  ...(redis?.breaches ?? []),
  ...(schemas ? schemaBreaches(schemas) : []),
  ...(policies ? policyBreaches(policies) : []),
]

/** One sentence, which does not claim anything that could not be judged. */
export const verdictOf = (findings: Findings): string => {
  const breaches = breachesOf(findings)
  if (breaches.length > 0) return `${breaches.length} attacks succeeded.`
  const judged = findings.pressure?.judged ?? []
  const crowded = judged.filter(({ isCrowded }) => isCrowded).length
  const failures = judged.reduce((sum, { crowdedFailures }) => sum + crowdedFailures, 0)
  if (crowded === 0 && failures === 0) return 'No attack succeeded.'
  return `No attack succeeded where it could be judged: in all rounds of ${crowded} of ${judged.length} attacks other programs used the machine, and in such rounds ${failures} calls of the quiet customer failed.`
}

export const reportOf = (findings: Findings): string => {
  const { pressure, framing, ports } = findings
  return `${[
    heading(findings),
    ...(pressure ? [pressureSection(pressure)] : []),
    ...(framing ? [framingSection(framing)] : []),
    ...(ports ? [portsSection(ports)] : []),
  ].join('\n\n')}\n`
}

const heading = (findings: Findings): string => {
  const { command, startedAt, loads } = findings
  const when = `${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const breaches = breachesOf(findings)
  return `# The hard shell

Measured on ${when}, ${cpus().length} vCPU, everything on one machine (load ${loads[0].toFixed(1)} before, ${loads[1].toFixed(1)} at the end), Node ${process.versions.node}. Made by \`${command}\`.

${breaches.length === 0 ? `**${verdictOf(findings)}**` : `**It is broken in ${breaches.length} places:**\n\n${breaches.map((breach) => `- ${breach}`).join('\n')}`}`
}

const pressureSection = ({
  judged,
  size,
  pressed,
  residentFirstBytes,
  residentLastBytes,
}: NonNullable<Findings['pressure']>): string => {
  const over = judged.filter(({ overBars }) => overBars.length > 0)
  const scale = size.strength.scale === 1 ? 'full size' : `${100 * size.strength.scale} % of the full size`
  return `## Under pressure (T12)

A customer reads a run 40 times a second, starts 10 runs a second and twice a second opens a new connection, while others attack from a process that gets the processor last. ${size.rounds === 1 ? 'One round' : `${size.rounds} rounds`} of a quiet window and an attacked one, of ${size.windowMs / 1000} s or as long as the attack needs; ${scale}. p99 is the middle of the windows' p99. Memory is the most of an attacked window over what the gateway had before the first.

${pressureTable(judged)}

Without regard to the machine: in the rounds that count no call of the quiet customer failed, the gateway stayed up, every answer to an attack was one that there may be, and memory grew by less than ${megabytes(bars.grownBytes)} MB (idle connections of many addresses: less than ${connectionKilobytes} KB each), but for the places named at the top. After all of it the gateway had ${megabytes(residentLastBytes)} MB, before it ${megabytes(residentFirstBytes)} MB.

${crowd(judged)}

${unrest(pressed)}

${over.length === 0 ? `The event loop stayed below ${bars.loopDelayMs} ms and the quiet customer's p99 below +20 % everywhere.` : overText(over)}

What the attackers were told, all rounds together:

${table(
  ['attack', 'what', 'outcomes'],
  pressed.map(({ attack, tally }) => [
    attack.name,
    attack.what,
    Object.entries(tally)
      .map(([outcome, times]) => `${outcome}: ${times.toLocaleString('en')}`)
      .join(', '),
  ]),
)}`
}

const connectionKilobytes = 80

const pressureTable = (judged: readonly Judged[]): string => {
  const head = [
    'attack',
    'memory MB',
    'loop p99 ms',
    'read p99 ms',
    'write p99 ms',
    'new connection p99 ms',
    'gateway CPU',
    'attacker CPU',
    'others',
    'over the bar',
  ]
  const rows = judged.map((one) => [
    one.name,
    signed(megabytes(one.grownBytes)),
    `${one.loopMs.quiet.toFixed(1)} → ${one.loopMs.attacked.toFixed(1)}`,
    inWords(one.reads),
    inWords(one.writes),
    inWords(one.newcomers),
    percent(one.gatewayShare),
    percent(one.attackerShare),
    percent(one.foreignShare),
    `${one.isCrowded ? 'crowded: ' : ''}${one.overBars.join(', ') || '–'}`,
  ])
  return table(head, rows)
}

const crowd = (judged: readonly Judged[]): string => {
  const failures = judged.reduce((sum, { crowdedFailures }) => sum + crowdedFailures, 0)
  const crowded = judged.filter(({ isCrowded }) => isCrowded)
  return `A round counts when other programs used at most ${percent(maxForeignShare)} of the machine. ${crowded.length === 0 ? 'Every attack had such rounds.' : `Of ${judged.length} attacks, ${crowded.length} had none; their machine-dependent values are reported and not judged.`} In the rounds that do not count, ${failures} calls of the quiet customer failed; whether the attack or other programs caused this is unknown.`
}

/** The spread of windows without any attack: a smaller difference is no finding. */
const unrest = (pressed: readonly Pressed[]): string => {
  const quiet = pressed.flatMap(({ rounds }) => rounds.map((round) => round.quiet))
  const spread = (of: (felt: Felt) => number[]): string => {
    const { from, median, to } = spreadOf(quiet.map(({ felt }) => quantile(of(felt), 0.99)))
    return `${median.toFixed(1)} ms (quartiles ${from.toFixed(1)} and ${to.toFixed(1)}, ×${(to / from).toFixed(2)})`
  }
  return `The ${quiet.length} quiet windows among themselves: read p99 ${spread(({ reads }) => reads)}, write p99 ${spread(({ writes }) => writes)}.`
}

const overText = (over: readonly Judged[]): string =>
  `**Over a bar that depends on the machine** (memory +${megabytes(bars.grownBytes)} MB; loop ${bars.loopDelayMs} ms or +20 %; p99 +20 %): ${over.map(({ name, overBars }) => `${name} (${overBars.join(', ')})`).join('; ')}. Gateway, worker, Postgres, Redis, the engine, the quiet customer and the attacker share ${cpus().length} cores here, and a fifth of a p99 is less than what quiet windows differ by among themselves. Where the gateway's own CPU is high, it is the attack; where it is low and that of others high, it is the company. A gateway has one event loop, so each request or handshake that has to be refused takes its time from the others: what bounds it is the rate of a key, of an address, and of connections in front of the gateway.`

const framingSection = ({ framed, control }: NonNullable<Findings['framing']>): string => {
  const refused = framed.filter(({ ambiguous }) => ambiguous.expects === 'refused')
  const clear = framed.filter(({ ambiguous }) => ambiguous.expects === 'one')
  return `## Where a request ends (T18)

Through a proxy that passes on what it half understands, over one connection that its clients share, going by the length or by the chunks. In each case an innocent request before and after; requests are counted in the gateway's log.

- ${refused.filter(({ breaches }) => breaches.length === 0).length} of ${refused.length} ambiguous requests: 400, the connection closed, the hidden request never seen, the next client served.
- ${clear.filter(({ breaches }) => breaches.length === 0).length} of ${clear.length} odd but clear ones: one request, the hidden one never seen, the next client served.
- The control, a length that only the proxy knows: the gateway saw ${control.requests} requests instead of 3${control.nextStatus === null ? ' and the next client got the answer of the hidden one' : ''}, so a hidden request would be noticed.`
}

const portsSection = ({ how, open, httpsPort, pathsAsked, breaches }: PortMetrics): string => {
  const found = Object.entries(open).map(([address, ports]) => `${address}: ${ports.join(', ') || 'none'}`)
  const way =
    how === 'namespace'
      ? 'The whole service (gateway, worker, Postgres, Redis, the engine) in a separate network namespace, on the addresses that it listens on by default, asked from another namespace over a cable: all 65,535 ports of TCP.'
      : 'Network namespaces may not be made here; what the processes of the service listen on was looked up instead.'
  return `## What can be reached (T20)

${way}

- Open: ${found.join('; ')}. The HTTPS port is ${httpsPort}.
- ${pathsAsked} requests to paths that no page names, with and without a key: ${breaches.some((breach) => breach.startsWith('/')) ? 'see the top' : '404 each'}.`
}

const inWords = ({ quietMs, attackedMs, ratio }: Compared): string =>
  `${quietMs.toFixed(1)} → ${attackedMs.toFixed(1)} (×${ratio.toFixed(2)})`

const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0)

const signed = (number: string): string => (number.startsWith('-') ? number : `+${number}`)

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`
