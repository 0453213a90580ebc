import { cpus } from 'node:os'
import { table } from '../../lab/report/table.ts'
import type { RedisFindings } from './play.ts'

/** For the terminal. */
export const redisReport = (found: RedisFindings, { command, at }: { command: string; at: Date }): string => {
  const { seconds, gateways, counts, heard, seen, limited, refusedMessages, breaches } = found
  const verdict =
    breaches.length === 0
      ? '**No wrong byte reached a customer, no run failed, and the limits held.**'
      : `**It is broken in ${breaches.length} places:**\n\n${breaches.map((breach) => `- ${breach}`).join('\n')}`
  return `# Redis as the attacker

Made on ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, Node ${process.versions.node}, by \`${command}\`.

${verdict}

A program with full write access to Redis listens to all channels and attacks for ${seconds} seconds, while customers wait for results, approve actions and read streams at ${gateways} gateways. Afterwards every answer and every stream is compared, byte for byte, with what the service reads from Postgres.

${table(
  ['attack', 'times'],
  Object.entries(counts)
    .toSorted()
    .map(([name, times]) => [name, String(times)]),
)}

${table(
  ['result', 'figure'],
  [
    ['runs accepted, all completed', String(seen.runs)],
    ['answers compared', String(seen.answers)],
    ['streams compared', String(seen.streams)],
    ['requests answered 429 while a bucket was forged, then repeated', String(seen.throttled)],
    ['requests of a demo key that passed, and the most that may', `${limited.passed} of ${limited.most}`],
    ['messages heard by the attacker, its own included', String(heard.messages)],
    ['forged messages that the gateways refused', String(refusedMessages)],
  ],
)}
`
}
