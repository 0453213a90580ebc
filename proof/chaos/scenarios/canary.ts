import { toUuid } from '@ars/platform/id'
import { waitFor } from '../../lab/condition.ts'
import type { Random } from '../../lab/random.ts'
import { agentClient, type WireDeployment } from '../agent-client.ts'
import {
  type CanaryRelease,
  countTold,
  endsAsTold,
  failureRule,
  ordersOf,
  readRuns,
  releaseCanary,
  splitHolds,
  startWaiting,
} from '../canary-release.ts'
import { playClients, playUntil } from '../load.ts'
import type { RunOrder } from '../run-client.ts'
import { type Claim, claim, measured, type Outcome, type Stage, scenario } from '../scenario.ts'

type Size = {
  /** Canaries that fail 20 % of their runs beside a base that fails 1 %, one after the other. */
  failing: number
  /** Runs of a canary that is as good as its base; 0: none. */
  healthyRuns: number
}

/** One run in this many fails. */
const failsOneIn = { canary: 5, live: 100 }
const healthyOneIn = { canary: 100, live: 100 }
const maxCanaryRuns = 200
/** Few enough that the service checks several times before this number is reached. */
const clients = 6
const waitingRuns = 3
const laterRuns = 10
const maxJudgedMs = 120_000
/** The rules of a canary are looked at every 2 s. */
const lookEveryMs = 2000

/** Canaries that fail while the parts that carry out and judge their runs are killed; and one that does not fail. */
export const canary = scenario<Size>({
  name: 'canary',
  promise:
    'A failing canary is rolled back automatically, once, whichever part is killed; one that is as good as its base stays.',
  sizes: { ci: { failing: 1, healthyRuns: 0 }, full: { failing: 5, healthyRuns: 400 } },
  play: async (stage, size) => {
    const found: Outcome[] = []
    for (let n = 1; n <= size.failing; n++) found.push(await playFailing(stage, `canary ${n}`))
    if (size.healthyRuns > 0) found.push(await playHealthy(stage, size.healthyRuns))
    return { metrics: found.flatMap(({ metrics }) => metrics), claims: merged(found.flatMap(({ claims }) => claims)) }
  },
})

const playFailing = async (stage: Stage, name: string): Promise<Outcome> => {
  const { fleet } = stage
  const agents = agentClient(fleet.client)
  const out = await releaseCanary(stage, name)
  const waiting = await startWaiting(stage, out, waitingRuns)
  const load = playUntil(stage, { clients, next: ordersOf(stage, out, failsOneIn) })
  const countEnded = (): number => load.ended.filter(({ key }) => out.sideOf(key) === 'canary').length
  const { killed, rolledBack } = await killUntilRolledBack(stage, out, countEnded).finally(() => load.stop())
  await fleet.supervision.settle()
  const shown = await Promise.all([0, 1].map((first) => agents.get(out.agentId, { first })))
  const next = ordersOf(stage, out, failsOneIn, { from: load.ended.length, isFine: true })
  const orders = Array.from({ length: laterRuns }, (_, n) => next(n))
  const later = await playClients(stage, orders, { clients })
  await Promise.all(waiting.map(({ runId, key }) => agents.approve(runId, `${key}/approve`)))
  const finished = await Promise.all(waiting.map(({ runId, key }) => fleet.client.awaitEnd({ key }, runId)))

  const endedAt = new Date(rolledBack.rolled_back_at ?? Number.NaN)
  const runs = await readRuns(stage, out)
  const told = await countTold(stage, out.canary.id)
  const before = runs.filter(
    ({ agent_version, finished_at }) => agent_version === 2 && finished_at !== null && finished_at <= endedAt,
  ).length
  const versionsOf = (ids: readonly string[]): string =>
    ids.map((id) => runs.find((run) => run.id === toUuid(id))?.agent_version ?? 'none').join()
  const [, failures = 0, counted = 0] = (/(\d+) of (\d+) runs/.exec(rolledBack.rollback_reason ?? '') ?? []).map(Number)
  const ofThis = (says: string, holds: boolean, found: string): Claim => claim(says, holds, `${name}: ${found}`)
  return {
    metrics: [
      [`${name}: runs, killed meanwhile`, `${runs.length}, ${killed.map(({ part }) => part).join(' ')}`],
      [`${name}: canary runs that had ended when it was rolled back`, before],
      [`${name}: why`, rolledBack.rollback_reason ?? ''],
    ],
    claims: [
      ofThis(
        'a failing canary is rolled back, and the reason has the numbers',
        counted >= failureRule.min_runs && counted <= before && failures / counted > failureRule.above,
        `${failures} of ${counted}, ${before} had ended: ${rolledBack.rollback_reason}`,
      ),
      measured(
        `by then at most ${maxCanaryRuns} of its runs have ended`,
        before <= maxCanaryRuns,
        `${name}: ${before} runs`,
      ),
      ofThis(
        'it is announced once and recorded once in the audit log, as an act of the service',
        told.events === 1 && told.audits === 1 && told.audits_by_service === 1,
        JSON.stringify(told),
      ),
      ofThis(
        'a worker and the engine were killed while it was out',
        ['worker', 'restate'].every((kind) => killed.some(({ part, wasOut }) => wasOut && part.startsWith(kind))),
        JSON.stringify(killed),
      ),
      ofThis(
        'the agent shows version 1 again, at both gateways',
        shown.every(({ version }) => version === 1),
        shown.map(({ version }) => version).join(),
      ),
      splitHolds(out, runs, endedAt),
      ofThis(
        'later runs are on version 1',
        versionsOf(later.map(({ runId }) => runId)) === later.map(() => 1).join(),
        versionsOf(later.map(({ runId }) => runId)),
      ),
      endsAsTold(out, [...load.ended, ...later]),
      ofThis(
        'canary runs that were under way finish, on the canary’s version',
        finished.every(({ status }) => status === 'completed') &&
          versionsOf(finished.map(({ id }) => id)) === waiting.map(() => 2).join(),
        finished.map(({ id, status }) => `${id} ${status}`).join(),
      ),
    ],
  }
}

/** `wasOut`: it was out even after the kill. */
type Killed = {
  part: string
  wasOut: boolean
}

const killUntilRolledBack = async (
  stage: Stage,
  out: CanaryRelease,
  countEnded: () => number,
): Promise<{ killed: Killed[]; rolledBack: WireDeployment }> => {
  const agents = agentClient(stage.fleet.client)
  const killed: Killed[] = []
  for (const kill of planOf(stage.random.fork(`${out.name}/kills`))) {
    const part = await carryOut(stage, kill, countEnded)
    killed.push({ part, wasOut: (await agents.getDeployment(out.canary.id)).status === 'canary' })
  }
  const rolledBack = await waitFor(
    `${out.name} to be rolled back`,
    async () => {
      stage.say(`${out.name}: ${countEnded()} runs of its side have ended`)
      const found = await agents.getDeployment(out.canary.id)
      return found.status === 'rolled_back' && found
    },
    { timeoutMs: maxJudgedMs, everyMs: 250 },
  )
  return { killed, rolledBack }
}

const playHealthy = async (stage: Stage, healthyRuns: number): Promise<Outcome> => {
  const name = 'healthy canary'
  const out = await releaseCanary(stage, name)
  const next = ordersOf(stage, out, healthyOneIn)
  const orders: RunOrder[] = []
  for (let onCanary = 0; onCanary < healthyRuns; ) {
    const order = next(orders.length)
    orders.push(order)
    if (out.sideOf(order.key) === 'canary') onCanary++
  }
  const ended = await playClients(stage, orders, { clients: 2 * clients })
  const status = await waitFor('the rules to be looked at after the last run', () => statusOnceJudged(stage, out), {
    timeoutMs: maxJudgedMs,
  })
  const told = await countTold(stage, out.canary.id)
  const runs = await readRuns(stage, out)
  const failed = runs.filter((run) => run.agent_version === 2 && run.status === 'failed').length
  return {
    metrics: [[`${name}: runs, of these on the canary, of these failed`, `${runs.length}, ${healthyRuns}, ${failed}`]],
    claims: [
      claim('a canary as good as its base stays', status === 'canary' && told.events + told.audits === 0, status),
      claim('although some of its runs fail', failed > 0, 'none failed'),
      splitHolds(out, runs, null),
      endsAsTold(out, ended),
    ],
  }
}

type Kill = {
  /** One of these, the first that is up: another scenario on the same stack kills too. */
  victims: readonly string[]
  /** When this many runs of the canary's side have ended. */
  afterEnded: number
}

/** One worker early, then the engine, and a worker about when there are enough runs to judge by. */
const planOf = (random: Random): Kill[] => {
  const workers = random.shuffle(['worker-1', 'worker-2'])
  const enough = failureRule.min_runs
  return [
    { victims: workers, afterEnded: random.whole(3, 12) },
    { victims: ['restate'], afterEnded: random.whole(16, 30) },
    { victims: workers.toReversed(), afterEnded: random.whole(enough - 4, enough + 4) },
  ]
}

const carryOut = ({ fleet, say }: Stage, { victims, afterEnded }: Kill, countEnded: () => number): Promise<string> => {
  const { supervision } = fleet
  return waitFor(
    `${afterEnded} runs of a canary to end`,
    async () => {
      say(`${countEnded()} runs of the canary’s side have ended`)
      const victim = victims.find(supervision.isUp)
      if (countEnded() < afterEnded || victim === undefined) return undefined
      await supervision.kill(victim)
      return victim
    },
    { timeoutMs: maxJudgedMs, everyMs: 20 },
  )
}

/** Undefined until the service has looked at the rules once more after the last run had ended. */
const statusOnceJudged = async (
  { fleet }: Stage,
  { agentId, canary: { id } }: CanaryRelease,
): Promise<string | undefined> => {
  const [row] = await fleet.records.query<{ status: string }>(
    `select d.status from deployments d
      where d.id = $1 and (d.check_at is null or d.check_at - make_interval(secs => $3) > (
        select max(e.finished_at) from runs r join run_results e on e.run_id = r.id where r.agent_id = $2))`,
    [toUuid(id), toUuid(agentId), lookEveryMs / 1000],
  )
  return row?.status
}

/** The claims of all canaries, joined into one. */
const merged = (claims: readonly Claim[]): Claim[] =>
  [...Map.groupBy(claims, ({ says }) => says).values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, violations: same.flatMap(({ violations }) => violations) }] : []
  })
