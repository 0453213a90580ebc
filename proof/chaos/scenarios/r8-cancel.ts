import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import { waitFor } from '../../lab/condition.ts'
import { orderOfSteps } from '../load.ts'
import { type HeardRun, hasEnded } from '../run-client.ts'
import { measured, type Stage, scenario } from '../scenario.ts'
import { watchEnds } from '../subscription.ts'

type Size = {
  /** Cancelled about when they would have completed. */
  races: number
  /** Cancelled while they wait for a slot. */
  queued: number
  /** Cancelled in the middle of their steps, twice. */
  twice: number
  clients: number
}

type Race = {
  key: string
  runId: string
  answer: HeardRun
  end: HeardRun
}

const aroundMs = 20
const stepMs = 150
const leastShare = 0.1

/** Cancel and completion race; the loser must have no effect. */
export const cancel = scenario<Size>({
  name: 'R8',
  promise: 'Cancel is final: one terminal state, announced once, and no step begins after it.',
  sizes: {
    ci: { races: 500, queued: 50, twice: 50, clients: 10 },
    full: { races: 10_000, queued: 1000, twice: 1000, clients: 16 },
  },
  play: async (stage, size) => {
    const ends = await watchEnds(stage)
    const races = await playRaces(stage, size)
    const queued = await cancelQueued(stage, size.queued)
    const twice = await cancelTwice(stage, size)
    await sleep(1000)
    const records = await stage.records()
    const steps = stage.ledgerOf(records)
    const stored = new Map(records.results.map(({ run_id, status }) => [run_id, status]))
    const outcomes = Map.groupBy(races, ({ end }) => end.status)
    const told = Map.groupBy(
      records.announcements.filter(({ type }) => /completed|failed|cancelled/.test(type)),
      ({ run_id }) => run_id,
    )
    const webhook = await ends(records.runs)
    const posts = Map.groupBy(
      webhook.facts.journal.filter((line) => line.kind === 'received'),
      ({ subject }) => subject,
    )
    // The queued ones are of another customer.
    const watched = [...races, ...twice].map(({ runId }) => runId)
    const late = twice.filter(
      ({ runId, stepsAfterASecond }) =>
        steps.filter(({ run_id }) => run_id === toUuid(runId)).length > stepsAfterASecond,
    )
    return {
      metrics: [
        [
          'cancelled about when they completed',
          [...outcomes].map(([status, { length }]) => `${status} ${length}`).join(', '),
        ],
        ['answers to these cancels', summary(races.map(({ answer }) => answer.status))],
        ['cancelled while queued', queued.length],
        ['cancelled twice, in the middle', twice.length],
        ['answers to the first of the two', summary(twice.map(({ first }) => first.status))],
        ...webhook.metrics,
      ],
      claims: [
        ...(['completed', 'cancelled'] as const).map((status) => {
          const share = (outcomes.get(status)?.length ?? 0) / races.length
          return measured(
            `at least a tenth of the races ended ${status}`,
            share >= leastShare,
            `${(share * 100).toFixed(1)} %`,
          )
        }),
        {
          says: 'after an answer to DELETE no other end is ever read',
          violations: races
            .filter(
              ({ answer, end, runId }) =>
                !agrees(answer.status, end.status) || stored.get(toUuid(runId)) !== end.status,
            )
            .map(
              ({ key, answer, end, runId }) =>
                `${key}: ${answer.status}, then ${end.status}, stored ${stored.get(toUuid(runId))}`,
            ),
        },
        {
          says: 'runs that wait for a slot are cancelled at once',
          violations: queued.filter(({ status }) => status !== 'cancelled').map(({ id, status }) => `${id}: ${status}`),
        },
        {
          says: 'a repeated DELETE on an ended run answers the same bytes',
          violations: twice.filter(({ third, second }) => third.text !== second.text).map(({ runId }) => runId),
        },
        {
          says: 'a run that is cancelled while it executes ends cancelled',
          violations: twice
            .filter(({ second }) => second.status !== 'cancelled')
            .map(({ runId, second }) => `${runId}: ${second.status}`),
        },
        {
          says: 'no step begins more than 1 s after the answer to DELETE',
          violations: late.map(({ runId }) => runId),
          isMeasured: true,
        },
        {
          says: 'each end is announced exactly once',
          violations: records.runs
            .filter(({ id }) => told.get(id)?.length !== 1)
            .map(({ id, key }) => `${key}: ${told.get(id)?.length ?? 0}`),
        },
        {
          says: 'each end reaches the webhook exactly once, as it was',
          violations: watched
            .filter(
              (id) =>
                posts
                  .get(id)
                  ?.map(({ type }) => type)
                  .join() !== `run.${stored.get(toUuid(id))}`,
            )
            .map(
              (id) =>
                `${id}: ${
                  posts
                    .get(id)
                    ?.map(({ type }) => type)
                    .join() ?? 'nothing'
                }`,
            ),
        },
        ...webhook.claims,
      ],
    }
  },
})

/**
 * The moment of the DELETE follows the outcomes: later after a cancelled run, earlier after a completed one. So about
 * half end either way, however fast the machine is.
 */
const playRaces = async (stage: Stage, { races, clients }: Size): Promise<Race[]> => {
  const { fleet, random, say } = stage
  const { client } = fleet
  const raced: Race[] = []
  let next = 0
  let leadMs = 20
  const race = async (n: number): Promise<Race> => {
    const dice = random.fork(`race-${n}`)
    const order = orderOfSteps(fleet, stage.key(`race-${n}`), { input: { steps: 1, delay_ms: stepMs } })
    const { id: runId } = await client.accept(order)
    await sleep(Math.max(0, stepMs + leadMs + dice.whole(-aroundMs, aroundMs)))
    const answer = await client.cancel(order, runId)
    leadMs += answer.status === 'completed' ? -2 : 2
    const end = hasEnded(answer) ? answer : await client.awaitEnd(order, runId)
    return { key: order.key, runId, answer, end }
  }
  const one = async (): Promise<void> => {
    while (next < races) {
      raced.push(await race(next++))
      say(`${raced.length} races, DELETE ${leadMs} ms after the step`)
    }
  }
  await Promise.all(Array.from({ length: clients }, one))
  // Whatever a late writer might still do has had its time by now.
  const read: Race[] = []
  while (raced.length > 0) {
    const some = raced.splice(-clients)
    const ends = await Promise.all(some.map(({ key, runId }) => client.awaitEnd({ key }, runId)))
    read.push(...some.map((each, at) => ({ ...each, end: ends[at] ?? each.end })))
  }
  return read
}

/** In an organisation whose slots are all taken. */
const cancelQueued = async (stage: Stage, runs: number): Promise<HeardRun[]> => {
  const { fleet } = stage
  const slots = 5
  const crowded = await fleet.addOrganisation('r8', { concurrentRuns: slots })
  const order = (name: string, input: object) => ({
    ...orderOfSteps(fleet, stage.key(name), { input: { ...input } }),
    agentId: crowded.agentId('test-slow'),
  })
  const fill = Array.from({ length: slots }, (_, n) => order(`slot-${n}`, { seconds: 300 }))
  const holders = await Promise.all(fill.map((each) => crowded.client.accept(each)))
  await waitFor('the slots to be taken', () => allTaken(stage, crowded.id, slots), { timeoutMs: 20_000 })
  const cancelled: HeardRun[] = []
  // Ten times its slots an organisation may have waiting; we stay below it.
  for (let n = 0; n < runs; n += 5 * slots) {
    const waiting = Array.from({ length: Math.min(5 * slots, runs - n) }, (_, at) =>
      order(`queued-${n + at}`, { seconds: 300 }),
    )
    const queued = await Promise.all(waiting.map((each) => crowded.client.accept(each)))
    cancelled.push(...(await Promise.all(queued.map((run, at) => crowded.client.cancel(waiting[at]!, run.id)))))
  }
  await Promise.all(holders.map((run, at) => crowded.client.cancel(fill[at]!, run.id)))
  await Promise.all(holders.map((run, at) => crowded.client.awaitEnd(fill[at]!, run.id)))
  return cancelled
}

const allTaken = async ({ fleet }: Stage, org: string, slots: number): Promise<boolean> => {
  const text = 'select count(*)::integer as taken from run_heads where org_id = $1 and is_admitted'
  const [row] = await fleet.records.query<{ taken: number }>(text, [org])
  return row?.taken === slots
}

const cancelTwice = async (stage: Stage, { twice, clients }: Size) => {
  const { fleet, random } = stage
  const { client } = fleet
  const play = async (n: number) => {
    const dice = random.fork(`twice-${n}`)
    const order = orderOfSteps(fleet, stage.key(`twice-${n}`), { input: { steps: 40, delay_ms: 50 } })
    const { id: runId } = await client.accept(order)
    await sleep(dice.whole(50, 400))
    // Both at once, over both gateways.
    const [first] = await Promise.all([
      client.cancel(order, runId, { first: 0 }),
      client.cancel(order, runId, { first: 1 }),
    ])
    const answeredMs = performance.now()
    const second = await client.awaitEnd(order, runId)
    await sleep(Math.max(0, answeredMs + 1000 - performance.now()))
    const stepsAfterASecond = fleet.ledger().filter(({ run_id }) => run_id === toUuid(runId)).length
    return {
      runId,
      first,
      second: await client.cancel(order, runId),
      third: await client.cancel(order, runId),
      end: second,
      stepsAfterASecond,
    }
  }
  const played: Awaited<ReturnType<typeof play>>[] = []
  for (let n = 0; n < twice; n += clients) {
    played.push(...(await Promise.all(Array.from({ length: Math.min(clients, twice - n) }, (_, at) => play(n + at)))))
  }
  return played
}

/** What DELETE answered can be followed by that end. */
const agrees = (answered: string, end: string): boolean =>
  answered === 'cancelling' ? end === 'cancelled' : answered === end

const summary = (words: readonly string[]): string =>
  [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => `${word} ${length}`).join(', ')
