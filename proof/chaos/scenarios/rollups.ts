import { checkFigures } from '../checks/figures.ts'
import { planKills } from '../kill-plan.ts'
import { type RunClient, type RunOrder, runClient } from '../run-client.ts'
import { claim, type Metric, measured, type Stage, scenario } from '../scenario.ts'
import { carryOutKills } from './r5-crash.ts'
import { createKey } from './r31-keys.ts'

type Size = { runs: number; kills: number; clients: number }

/** Five agents, whose runs complete, fail and, every seventh, are cancelled. */
const agents: readonly { name: string; input(n: number): Record<string, unknown> }[] = [
  { name: 'test-echo', input: (n) => ({ query: `figures ${n}` }) },
  { name: 'test-steps', input: (n) => ({ steps: 1 + (n % 2), delay_ms: n % 50 }) },
  { name: 'test-fail', input: (n) => ({ code: n % 2 === 0 ? 'tool_error' : 'agent_error' }) },
  { name: 'test-slow', input: (n) => ({ seconds: (n % 4) / 10 }) },
  { name: 'test-stream', input: () => ({ chunks: 3 }) },
]
const keys = 3
const cancelEvery = 7

/** kill -9 of every part while runs of all ends are counted. */
export const rollups = scenario<Size>({
  name: 'rollups',
  promise:
    'Figures are exact: whatever is killed, each ended run is counted once, under its agent, version and API key.',
  sizes: {
    ci: { runs: 500, kills: 3, clients: 24 },
    full: { runs: 20_000, kills: 20, clients: 24 },
  },
  patienceMs: { ci: 240_000, full: 60 * 60_000 },
  play: async (stage, size) => {
    const { fleet, random } = stage
    const clients = await clientsOf(stage)
    const ends = new Map<string, number>()
    let ended = 0
    let next = 0
    const work = async (): Promise<void> => {
      for (let n = next++; n < size.runs; n = next++) {
        const status = await carryOut(stage, clients[n % keys] ?? fleet.client, n)
        ends.set(status, (ends.get(status) ?? 0) + 1)
        ended++
      }
    }
    const working = Promise.all(Array.from({ length: size.clients }, work))
    const plan = planKills(random.fork('kills'), { kills: size.kills, ended: size.runs })
    const killed = await carryOutKills(stage, plan, () => ended, { random: random.fork('moments') })
    await fleet.supervision.settle()
    await working
    const wrong = await checkFigures(fleet.records)
    const [counted] = await fleet.records.query<{ runs: number; agents: number; keys: number }>(
      `select sum(completed + failed + cancelled)::integer as runs, count(distinct agent_id)::integer as agents,
              count(distinct api_key_id)::integer as keys
         from usage_buckets where org_id = $1 and width = 'quarter' and scope = 'detail'`,
      [fleet.organisation.id],
    )
    return {
      metrics: [
        ['runs', size.runs],
        [
          'ends',
          [...ends]
            .map(([status, runs]) => `${status} ${runs}`)
            .toSorted()
            .join(', '),
        ],
        ['kills', killed.join(', ')],
        ['runs, agents and API keys in the figures', `${counted?.runs}, ${counted?.agents}, ${counted?.keys}`],
        ['differences', wrong.length],
      ] satisfies Metric[],
      claims: [
        { says: 'the figures are those of a count over the runs, with a difference of 0', violations: wrong },
        claim('every run is in the figures', (counted?.runs ?? 0) >= size.runs, `${counted?.runs} of ${size.runs}`),
        claim('the figures tell three API keys apart', (counted?.keys ?? 0) >= keys, `${counted?.keys}`),
        claim('runs completed, failed and were cancelled', ends.size === 3, [...ends.keys()].join(', ')),
        measured(`${size.kills} kills while runs were under way`, killed.length >= size.kills, `only ${killed.length}`),
      ],
    }
  },
})

const carryOut = async (stage: Stage, client: RunClient, n: number): Promise<string> => {
  const agent = agents[n % agents.length]
  if (!agent) throw new Error('There is no agent')
  const order: RunOrder = {
    key: stage.key(n),
    agentId: stage.fleet.agentId(agent.name),
    input: agent.input(n),
    prefer: 'respond-async',
  }
  if (n % cancelEvery !== 0) return (await client.carryOut(order)).status
  const { id } = await client.accept(order)
  await client.cancel(order, id)
  return (await client.awaitEnd(order, id)).status
}

/** The customer with three API keys. */
const clientsOf = async ({ fleet, random, hopeless, key }: Stage): Promise<RunClient[]> => {
  const owner = fleet.client
  const others = Array.from({ length: keys - 1 }, async (_, n) => {
    const made = await createKey(owner, key(`key ${n}`), ['runs:read', 'runs:write'])
    return runClient({
      org: owner.org,
      gateways: owner.gateways,
      apiKey: made.key,
      journal: fleet.journal,
      random: random.fork(`key ${n}`),
      patienceMs: 180_000,
      hopeless,
    })
  })
  return [owner, ...(await Promise.all(others))]
}
