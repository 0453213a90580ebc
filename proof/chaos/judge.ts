import { openEngine } from '@ars/platform/durable/engine'
import { waitFor } from '../lab/condition.ts'
import { checkNothingLost, checkOneRunPerKey } from './checks/acceptance.ts'
import { soundness } from './checks/deliveries.ts'
import { checkFigures } from './checks/figures.ts'
import { checkHistories, checkObservations } from './checks/history.ts'
import { checkNotVacuous, operationsOf } from './checks/operations.ts'
import { checkNothingOverdue } from './checks/overdue.ts'
import { checkNothingLeaks } from './checks/tenancy.ts'
import { checkCallsCounted } from './checks/usage.ts'
import { awaitDeliveries, readDeliveries } from './delivery-records.ts'
import type { Fleet } from './fleet.ts'
import type { Metric, Outcome } from './scenario.ts'
import { findHeldSlots } from './slots.ts'
import type { Outage } from './supervision.ts'

// They only end a wait that is in vain, so a slow computer must not meet them.
const maxDrainMs = 120_000
const maxEngineEmptyMs = 120_000
const maxDeliverMs = 180_000

/** What must hold after every play, whatever was played. In some stretches parts may have ended by themselves. */
export const judge = async (
  fleet: Fleet,
  crashing: readonly { fromMs: number; untilMs: number }[],
): Promise<Outcome> => {
  const { journal, records: reader, supervision, slots, neighbour, organisations } = fleet
  await neighbour.close()
  const heldSlots = await drained(fleet)
  const heldByEngine = await findHeldByEngine(fleet)
  const undelivered = await awaitDeliveries(reader, { timeoutMs: maxDeliverMs })
  const sent = { records: await readDeliveries(reader), journal: await fleet.receiver.read() }
  await slots.close()
  const wrongFigures = await checkFigures(reader)
  const operations = operationsOf(await journal.read())
  const records = await reader.read()
  const counted = await reader.query<{ org_id: string; calls: number }>(
    'select org_id, sum(calls)::integer as calls from call_counts group by org_id',
  )
  const vacuity = checkNotVacuous(operations, supervision.outages)
  const usage = checkCallsCounted({ operations, records, counted, organisations })
  const answers = Map.groupBy(operations, ({ answer }) => answer?.status || 'none')
  const own = supervision.outages.filter(({ cause }) => cause === 'exited')
  return {
    metrics: [
      ['calls of clients', operations.length],
      [
        'answers',
        [...answers]
          .map(([status, { length }]) => `${status}: ${length}`)
          .toSorted()
          .join(', '),
      ],
      ['calls that met no outage', `${vacuity.outside}, of which ${vacuity.succeeded} succeeded`],
      ['runs that the usage counter knows', usage.calls],
      ['moments at which the slots were counted', `${slots.samples}, at most ${slots.mostInUse} in use`],
      ['runs of the neighbour', neighbour.completed],
      ['POSTs to webhooks', sent.journal.filter(({ kind }) => kind === 'received').length],
      ...metricsOf(supervision.outages),
    ],
    claims: [
      {
        says: 'no process ends that was not killed',
        violations: own
          .filter(({ fromMs }) => !crashing.some((stretch) => fromMs >= stretch.fromMs && fromMs <= stretch.untilMs))
          .map(({ part, words }) => `${part}: ${words}`),
      },
      { says: 'C1: every acknowledged run exists', violations: checkNothingLost(operations, records) },
      { says: 'C2: one run for each key', violations: checkOneRunPerKey(operations, records, organisations) },
      { says: 'C3: one end, a feed without gaps, nothing after the end', violations: checkHistories(records) },
      {
        says: 'C3: the states that clients read follow the transition table',
        violations: checkObservations(operations, records),
      },
      {
        says: 'C4: when all runs have ended every event is announced and no delivery is pending',
        violations: undelivered,
      },
      ...soundness(sent).map(({ says, violations }) => ({ says: `C4: ${says}`, violations })),
      { says: 'C5: no run is active a minute after its deadline', violations: checkNothingOverdue(records) },
      { says: 'C6: the usage counter is the number of accepted calls', violations: usage.violations },
      { says: 'C8: the figures of usage are those of the ended runs', violations: wrongFigures },
      { says: 'C7: no byte of another organisation in any answer', violations: checkNothingLeaks(operations) },
      { says: 'the neighbour’s runs complete', violations: neighbour.notCompleted },
      {
        says: 'at no moment does an organisation have more admitted runs than it may have',
        violations: slots.violations,
      },
      { says: 'when all runs have ended no slot is held', violations: heldSlots },
      { says: 'when all runs have ended the engine holds no invocation of them', violations: heldByEngine },
      {
        // A gateway that is too slow for the load turns calls away.
        says: 'not vacuous: nine in ten calls that met no outage succeeded',
        violations: vacuity.violations,
        isMeasured: true,
      },
    ],
  }
}

/** Runs that wait for a person may stay; whatever else is active must come to its end. */
const drained = async ({ records }: Fleet): Promise<string[]> => {
  const active = `select count(*)::integer as runs from run_heads where status <> 'requires_action'`
  const found = await waitFor(
    'the runs to end',
    async () => {
      const [row] = await records.query<{ runs: number }>(active)
      return row?.runs === 0
    },
    { timeoutMs: maxDrainMs },
  ).catch(async () => {
    const rows = await records.query<{ line: string }>(
      `select row_to_json(t)::text as line from run_heads t where status <> 'requires_action' limit 20`,
    )
    return rows.map(({ line }) => `still active: ${line}`)
  })
  return found === true ? findHeldSlots(records) : found
}

type Held = { id: string; status: string }

/** What the engine would try again and again, though nobody waits for it. The worker ends such in rounds. */
const findHeldByEngine = async ({ stack }: Fleet): Promise<string[]> => {
  const engine = openEngine({ ingressUrls: [stack.restate.ingressUrl], adminUrls: [stack.restate.adminUrl] })
  const list = () =>
    engine.query<Held>(
      `select id, status, idempotency_key, retry_count, next_retry_at, last_failure_error_code, last_failure
         from sys_invocation where target_service_name = 'Run' and status <> 'completed' limit 20`,
    )
  try {
    const left = await waitFor('the engine to be empty', async () => (await list().catch(() => null))?.length === 0, {
      timeoutMs: maxEngineEmptyMs,
    }).catch(list)
    return left === true ? [] : left.map((held) => `${held.id} is ${held.status}: ${JSON.stringify(held)}`)
  } finally {
    await engine.close()
  }
}

const metricsOf = (outages: readonly Outage[]): Metric[] =>
  [...Map.groupBy(outages, ({ part, cause }) => `${part} ${cause}`)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, each]) => {
      const secondsAway = each.map(({ fromMs, untilMs }) => (((untilMs ?? Number.NaN) - fromMs) / 1000).toFixed(1))
      const shown = secondsAway.length > 12 ? `${secondsAway.slice(0, 12).join(', ')}, …` : secondsAway.join(', ')
      return [what, `${each.length} (back after ${shown} s)`]
    })
