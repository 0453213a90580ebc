import { toUuid } from '@ars/platform/id'
import { agentClient, type WireDeployment } from './agent-client.ts'
import { checkSplit, type Split, type SplitRun, sideOf } from './checks/split.ts'
import type { Ended } from './load.ts'
import type { RunOrder } from './run-client.ts'
import type { Claim, Stage } from './scenario.ts'

const percent = 50
const stepMs = 200

export const failureRule = { metric: 'failure_rate', above: 0.05, min_runs: 50 }

/** An agent with a canary out. */
export type CanaryRelease = {
  readonly name: string
  readonly agentId: string
  readonly live: WireDeployment
  readonly canary: WireDeployment
  sideOf(key: string): 'canary' | 'live'
  /** The keys of the runs that are told to fail. */
  readonly failing: Set<string>
}

export const releaseCanary = async (stage: Stage, name: string): Promise<CanaryRelease> => {
  const agents = agentClient(stage.fleet.client)
  const config = { model: 'simulated/script', instructions: 'Version 1.' }
  const { id: agentId } = await agents.create(stage.key(`${name}/agent`), { name, config })
  await agents.change(agentId, {
    config: { instructions: 'Version 2.' },
    rollout: { strategy: 'canary', traffic_percent: percent, rollback_rules: [failureRule] },
  })
  const [canaryOut, live] = await agents.deployments(agentId)
  if (canaryOut?.status !== 'canary' || live?.status !== 'active') throw new Error(`${name} is not out`)
  const agent = { agentId: toUuid(agentId), percent }
  return { name, agentId, live, canary: canaryOut, failing: new Set(), sideOf: (key) => sideOf(agent, key) }
}

/**
 * The n-th run of an agent. Its key decides the side, and one in every N runs of a side fails, at a position that is
 * drawn. The script comes with the run, so that both versions do the same.
 */
export const ordersOf = (
  stage: Stage,
  out: CanaryRelease,
  oneIn: Readonly<Record<'canary' | 'live', number>>,
  { from = 0, isFine = false }: { from?: number; isFine?: boolean } = {},
): ((n: number) => RunOrder) => {
  const counts = { canary: 0, live: 0 }
  return (n) => {
    const key = stage.key(`${out.name}/${from + n}`)
    const side = out.sideOf(key)
    const number = counts[side]++
    const dice = stage.random.fork(`${out.name}/${side}/${Math.floor(number / oneIn[side])}`)
    const fails = !isFine && number % oneIn[side] === dice.whole(0, oneIn[side] - 1)
    if (fails) out.failing.add(key)
    const turn = fails ? { fail: { code: 'agent_error' } } : { text: 'Done.' }
    return { key, agentId: out.agentId, input: { script: [{ delay_ms: stepMs, ...turn }] }, prefer: 'wait=5' }
  }
}

/** Runs of the canary's side that are under way for as long as a person likes. */
export const startWaiting = async (
  { fleet, key: keyOf }: Stage,
  out: CanaryRelease,
  count: number,
): Promise<{ key: string; runId: string }[]> => {
  const script = [{ asks: [{ type: 'approval', message: 'May this go on?' }] }, { text: 'Done.' }]
  const keys: string[] = []
  for (let n = 0; keys.length < count; n++) {
    const key = keyOf(`${out.name}/waiting-${n}`)
    if (out.sideOf(key) === 'canary') keys.push(key)
  }
  return Promise.all(
    keys.map(async (key) => {
      const order: RunOrder = { key, agentId: out.agentId, input: { script }, prefer: 'respond-async' }
      const { id } = await fleet.client.accept(order)
      await fleet.client.awaitEnd(order, id, ({ status }) => status === 'requires_action')
      return { key, runId: id }
    }),
  )
}

type JudgedRun = SplitRun & { id: string; status: string | null; finished_at: Date | null }

export const readRuns = ({ fleet }: Stage, { agentId }: CanaryRelease): Promise<JudgedRun[]> =>
  fleet.records.query(
    `select r.id, r.metadata ->> 'chaos_key' as key, r.agent_version, r.deployment_id, r.is_watched, r.created_at,
            e.status, e.finished_at
       from runs r left join run_results e on e.run_id = r.id where r.agent_id = $1`,
    [toUuid(agentId)],
  )

export const countTold = async ({ fleet }: Stage, deploymentId: string) => {
  const [row] = await fleet.records.query<{ events: number; audits: number; audits_by_service: number }>(
    `select (select count(*)::integer from events where type = 'deployment.rollback' and subject_id = $1) as events,
            count(*)::integer as audits, count(*) filter (where actor_type = 'service')::integer as audits_by_service
       from audit_log where action = 'deployment.rolled_back' and subject = $2`,
    [toUuid(deploymentId), deploymentId],
  )
  return row ?? { events: 0, audits: 0, audits_by_service: 0 }
}

/** `endedAt`: when it was rolled back; null: it is still out. */
export const splitHolds = (release: CanaryRelease, runs: readonly SplitRun[], endedAt: Date | null): Claim => {
  const { agentId, live, canary, name } = release
  const split: Split = {
    agentId: toUuid(agentId),
    percent,
    live: { version: live.version, deploymentId: toUuid(live.id) },
    canary: { version: canary.version, deploymentId: toUuid(canary.id) },
    endedAt,
  }
  return {
    says: 'every run is on the side that its key says, and after the canary on version 1',
    violations: checkSplit(split, runs).map((found) => `${name}: ${found}`),
  }
}

export const endsAsTold = ({ name, failing }: CanaryRelease, ended: readonly Ended[]): Claim => {
  const isAsTold = ({ key, status, errorCode }: Ended): boolean =>
    failing.has(key) ? status === 'failed' && errorCode === 'agent_error' : status === 'completed'
  const others = ended.filter((each) => !isAsTold(each))
  return {
    says: 'every run ends as planned',
    violations: others.map(({ key, status, errorCode }) => `${name}: ${key} ${status} ${errorCode ?? ''}`),
  }
}
