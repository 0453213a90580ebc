import { type Claim, measured } from '../lab/report/outcome.ts'
import { ofTheGateway, type PartName } from './options.ts'
import { outgoingBreaches } from './outgoing/play.ts'
import { policyBreaches } from './policies/report.ts'
import { breachesOf, type Findings } from './report.ts'
import { schemaBreaches } from './schemas/report.ts'

/** The claims of each proof of which all parts were played. */
export const claimsOf = (findings: Findings, parts: readonly PartName[]): [proof: string, claims: Claim[]][] => {
  const { command, startedAt, loads, pressure, framing, ports, outgoing, redis, schemas, policies } = findings
  const found: [string, Claim[]][] = []
  if (ofTheGateway.every((part) => parts.includes(part)) && pressure && framing && ports) {
    const unmeasured = breachesOf({ command, startedAt, loads, framing, ports })
    const claims = pressure.judged.flatMap(({ name, breaches }) => withMeasures(name, breaches))
    found.push(['gateway', [...claims, noAttack('framing and open ports', unmeasured)]])
  }
  if (parts.includes('outgoing')) {
    const breaches = outgoing ? outgoingBreaches(outgoing) : ['there is no network namespace']
    found.push(['outgoing', [noAttack('the ways out', breaches)]])
  }
  if (redis) found.push(['redis', [noAttack('Redis as the attacker', redis.breaches)]])
  if (schemas) found.push(['schemas', withMeasures('JSON Schemas', schemaBreaches(schemas))])
  if (policies) {
    const crowded = policies.loaded.filter(({ isCrowded }) => isCrowded).length
    const value =
      crowded === 0
        ? 'all within'
        : `other programs used the computer: latencies beside ${crowded} loads are not judged`
    found.push(['policies', withMeasures('the heaviest work that is accepted', policyBreaches(policies), value)])
  }
  return found
}

const noAttack = (what: string, violations: readonly string[]): Claim => ({
  says: `${what}: no attack succeeds`,
  violations,
})

/** Memory and latencies depend on the computer. */
const withMeasures = (what: string, breaches: readonly string[], value = 'all within'): Claim[] => {
  const isMeasure = (breach: string): boolean => /memory (grew|of)|: p99 |turn of the event loop/.test(breach)
  const over = breaches.filter(isMeasure)
  return [
    noAttack(
      what,
      breaches.filter((breach) => !isMeasure(breach)),
    ),
    { ...measured(`${what}: memory and latencies stay within their bars`, true, value), violations: over },
  ]
}
