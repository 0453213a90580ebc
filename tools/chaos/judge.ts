import { checkNothingLost, checkOneRunPerKey } from './checks/acceptance.ts'
import { checkHistories, checkObservations } from './checks/history.ts'
import { checkNotVacuous, operationsOf } from './checks/operations.ts'
import { checkNothingOverdue } from './checks/overdue.ts'
import type { Fleet } from './fleet.ts'
import type { Figure, Outcome, Scenario } from './scenario.ts'
import type { Outage } from './supervision.ts'

/** What must hold after every scenario, whatever it did. */
export async function judge(
  { journal, records: reader, supervision }: Fleet,
  { expectsCrashes }: Scenario,
): Promise<Outcome> {
  const operations = operationsOf(await journal.read())
  const records = await reader.read()
  const vacuity = checkNotVacuous(operations, supervision.outages)
  const answers = Map.groupBy(operations, ({ answer }) => answer?.status || 'none')
  return {
    figures: [
      ['calls of clients', operations.length],
      [
        'answers',
        [...answers]
          .map(([status, { length }]) => `${status}: ${length}`)
          .toSorted()
          .join(', '),
      ],
      ['calls that met no outage', `${vacuity.outside}, of which ${vacuity.succeeded} succeeded`],
      ...figuresOf(supervision.outages),
    ],
    claims: [
      {
        says: 'nothing ends that was not killed',
        violations: supervision.outages
          .filter(({ cause }) => !expectsCrashes && cause === 'ended by itself')
          .map(({ part, words }) => `${part}: ${words}`),
      },
      { says: 'C1: every acknowledged run exists', violations: checkNothingLost(operations, records) },
      { says: 'C2: one run for each key', violations: checkOneRunPerKey(operations, records) },
      { says: 'C3: one end, a feed without gaps, nothing after the end', violations: checkHistories(records) },
      {
        says: 'C3: what clients read follows the transition table',
        violations: checkObservations(operations, records),
      },
      { says: 'C5: nothing is active a minute after its time', violations: checkNothingOverdue(records) },
      { says: 'not vacuous: nine in ten calls that met no outage succeeded', violations: vacuity.violations },
    ],
  }
}

function figuresOf(outages: readonly Outage[]): Figure[] {
  return [...Map.groupBy(outages, ({ part, cause }) => `${part} ${cause}`)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, each]) => {
      const secondsAway = each.map(({ fromMs, untilMs }) => (((untilMs ?? Number.NaN) - fromMs) / 1000).toFixed(1))
      return [what, `${each.length} (back after ${secondsAway.join(', ')} s)`]
    })
}
