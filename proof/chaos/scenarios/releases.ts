import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import { type AgentClient, agentClient } from '../agent-client.ts'
import type { HeardRun, RunOrder } from '../run-client.ts'
import { type Claim, claim, type Stage, scenario } from '../scenario.ts'

type Size = {
  runs: number
  clients: number
}

/** Releases after the first version, one after the other. */
const releaseCount = 5
const newest = releaseCount + 1
/** About as long as a release takes: some die before it, some after it. */
const killAfterMs = [0, 80] as const

/** A run that waits for a person, and the version that was out when it began. */
type Waiting = {
  key: string
  runId: string
  version: number
}

/** R12 with versions of an agent: what waits stays on the version on which it began, whatever is released or killed. */
export const releases = scenario<Size>({
  name: 'releases',
  promise:
    'A run finishes on the version of its agent on which it began, whatever is released, rolled back or killed meanwhile.',
  sizes: { ci: { runs: 20, clients: 8 }, full: { runs: 200, clients: 16 } },
  play: async (stage, { runs, clients }) => {
    const { fleet, random, say } = stage
    const agents = agentClient(fleet.client)
    const { id: agentId } = await agents.create(stage.key('agent'), { name: 'releases', config: saying(1) })
    const shares = Map.groupBy(
      Array.from({ length: runs }, (_, n) => n),
      (n) => 1 + Math.floor((n * newest) / runs),
    )
    const waiting: Waiting[] = []
    const killed: string[] = []
    let unheard = 0
    // A gateway dies while it releases a version, a worker while runs begin; in turn, so that the other can go on.
    const victims = random.shuffle([0, 1]).flatMap((at) => [fleet.workers[at], fleet.gateways[at]])
    for (let version = 1; version <= newest; version++) {
      const begins = inTurns(shares.get(version) ?? [], clients, async (n) => {
        waiting.push(await begin(stage, { agentId, key: stage.key(n), version }))
      })
      const victim = victims[(version - 1) % victims.length]?.name ?? ''
      if (victim.startsWith('worker')) killed.push(...(await kill(stage, victim)))
      await begins
      say(`${waiting.length} runs wait, ${killed.length} kills`)
      if (version === newest) break
      const released = agents.change(agentId, { config: saying(version + 1) }, { first: gatewayNumber(victim) })
      if (victim.startsWith('gateway')) killed.push(...(await kill(stage, victim)))
      // The release existed already: it was requested before the response was lost.
      if ((await released).deployment === null) unheard++
      // Whether or not one was lost, a client that is not sure asks again.
      await agents.change(agentId, { config: saying(version + 1) })
    }
    const [last] = await agents.deployments(agentId)
    await agents.rollBack(last?.id ?? '', 'the words were better before')
    const ended = approveAll(stage, { agents, waiting, clients })
    killed.push(...(await kill(stage, random.pick(fleet.workers).name)))
    const runsEnded = await ended
    const later = await begin(stage, { agentId, key: stage.key('later'), version: releaseCount })
    const [laterEnded] = await approveAll(stage, { agents, waiting: [later], clients: 1 })
    await fleet.supervision.settle()
    return {
      metrics: [
        ['runs that waited for a person', runsEnded.length],
        ['versions on which they began', new Set(waiting.map(({ version }) => version)).size],
        ['killed', killed.join(' ')],
        ['releases that were made, their answer lost, and asked for again', unheard],
      ],
      claims: [
        finishesOnItsOwn('each run finishes with the words of the version on which it began', runsEnded),
        claim(`${runs} runs waited`, runsEnded.length === runs, `${runsEnded.length}`),
        finishesOnItsOwn('a run after the roll-back is on the version before', laterEnded ? [laterEnded] : []),
        claim(
          'a worker and both gateways were killed',
          killed.some((name) => name.startsWith('worker')) &&
            ['gateway-1', 'gateway-2'].every((name) => killed.includes(name)),
          killed.join(),
        ),
        ...(await judgeReleases(stage, agents, agentId)),
      ],
    }
  },
})

const saying = (version: number): object => {
  const asks = [{ type: 'approval', message: 'May this go on?' }]
  return { model: 'simulated/script', script: [{ asks }, { text: wordsOf(version) }] }
}

const wordsOf = (version: number): string => `These are the words of version ${version}.`

const begin = async ({ fleet }: Stage, wanted: { agentId: string; key: string; version: number }): Promise<Waiting> => {
  const { agentId, key, version } = wanted
  const order: RunOrder = { key, agentId, input: {}, prefer: 'respond-async' }
  const { id } = await fleet.client.accept(order)
  await fleet.client.awaitEnd(order, id, ({ status }) => status === 'requires_action')
  return { key, runId: id, version }
}

type Finished = Waiting & { end: HeardRun }

const approveAll = async (
  { fleet }: Stage,
  { agents, waiting, clients }: { agents: AgentClient; waiting: readonly Waiting[]; clients: number },
): Promise<Finished[]> => {
  const finished: Finished[] = []
  await inTurns(waiting, clients, async (run) => {
    await agents.approve(run.runId, `${run.key}/approve`)
    finished.push({ ...run, end: await fleet.client.awaitEnd(run, run.runId) })
  })
  return finished
}

/** A moment later, so that it falls into the work. Another scenario on the same stack may have been quicker. */
const kill = async ({ fleet, random }: Stage, name: string): Promise<string[]> => {
  await sleep(random.whole(...killAfterMs))
  if (!fleet.supervision.isUp(name)) return []
  await fleet.supervision.kill(name)
  return [name]
}

const gatewayNumber = (victim: string): number => (victim === 'gateway-2' ? 1 : 0)

/** Concurrent calls. */
const inTurns = async <Item>(
  items: readonly Item[],
  clients: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const left = [...items]
  const client = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: clients }, client))
}

const finishesOnItsOwn = (says: string, finished: readonly Finished[]): Claim => {
  const wrong = finished.filter(({ version, end }) => {
    const run = JSON.parse(end.text) as { status: string; agent_version: number; output: { result?: string } | null }
    return run.status !== 'completed' || run.agent_version !== version || run.output?.result !== wordsOf(version)
  })
  const violations = wrong.map(({ key, version, end }) => `${key} of version ${version}: ${end.text.slice(0, 300)}`)
  return { says, violations: finished.length === 0 ? ['there is none'] : violations }
}

/** Every release was asked for at least twice: it is one version, one deployment, one event all the same. */
const judgeReleases = async ({ fleet }: Stage, agents: AgentClient, agentId: string): Promise<Claim[]> => {
  const versions = (await agents.versions(agentId)).map(({ version }) => version).join()
  const wanted = Array.from({ length: newest }, (_, at) => newest - at)
  const deployments = (await agents.deployments(agentId)).map(
    ({ version, status, source }) => `${version} ${status} ${source}`,
  )
  const expected = [
    `${releaseCount} active rollback`,
    `${newest} rolled_back update`,
    ...wanted.slice(1).map((version) => `${version} superseded ${version === 1 ? 'create' : 'update'}`),
  ]
  const [told] = await fleet.records.query<{ events: number; audits: number }>(
    `select (select count(*)::integer from events where type = 'agent.updated' and subject_id = $1) as events,
            (select count(*)::integer from audit_log where action = 'agent.updated' and subject = $2) as audits`,
    [toUuid(agentId), agentId],
  )
  return [
    claim('each release made one version, and no number is missing', versions === wanted.join(), versions),
    claim('and one deployment', deployments.join() === expected.join(), deployments.join(', ')),
    claim(
      'each is announced once and recorded once in the audit log',
      // The rollback changes the agent too: it is announced, and has an audit entry of another action.
      told?.events === releaseCount + 1 && told.audits === releaseCount,
      JSON.stringify(told),
    ),
  ]
}
