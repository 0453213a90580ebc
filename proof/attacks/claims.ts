import { type Claim, measured } from '../lab/report/outcome.ts'
import { ofTheGateway, type PartName } from './options.ts'
import { outgoingBreaches } from './outgoing/play.ts'
import { breachesOf, type Findings } from './report.ts'
import { schemaBreaches } from './schemas/report.ts'

/** The claims of each proof of which parts were played. */
export const claimsOf = (findings: Findings, parts: readonly PartName[]): [proof: string, claims: Claim[]][] => {
  const { pressure, framing, ports, outgoing, redis, schemas } = findings
  const { command, startedAt, loads } = findings
  const others: Findings = { command, startedAt, loads, ...(framing && { framing }), ...(ports && { ports }) }
  const ofPressure = (pressure?.judged ?? []).flatMap(({ name, breaches }) => split(name, breaches))
  const isWhole = ofTheGateway.every((part) => parts.includes(part)) && pressure && framing && ports
  return [
    ...(isWhole
      ? [['gateway', [...ofPressure, ...split('framing and open ports', breachesOf(others))]] as [string, Claim[]]]
      : []),
    ...(parts.includes('outgoing')
      ? [
          ['outgoing', split('the ways out', outgoing ? outgoingBreaches(outgoing) : ['no network namespace'])] as [
            string,
            Claim[],
          ],
        ]
      : []),
    ...(redis ? [['redis', split('Redis as the attacker', redis.breaches)] as [string, Claim[]]] : []),
    ...(schemas ? [['schemas', split('JSON Schemas', schemaBreaches(schemas))] as [string, Claim[]]] : []),
  ]
}

/** Memory and latencies depend on the computer. */
const split = (what: string, breaches: readonly string[]): Claim[] => {
  const isMeasure = (breach: string): boolean => /memory (grew|of)|: p99 /.test(breach)
  return [
    { says: `${what}: no attack succeeds`, violations: breaches.filter((breach) => !isMeasure(breach)) },
    {
      ...measured(`${what}: memory and latencies stay within their bars`, true, ''),
      violations: breaches.filter(isMeasure),
    },
  ]
}
