import { inParallel } from '../wire.ts'
import { type Customer, until } from './customer.ts'
import type { Trick } from './names.ts'

export type RunMetrics = {
  key: string
  failed: number
  breaches: string[]
}

const runsAtOnce = 26
const ended = ['completed', 'failed', 'cancelled']

/** Runs whose agent lives at a hostile name, and runs whose tools do: both must fail, whatever the name says when. */
export const runAgents = async (
  customer: Customer,
  tricks: readonly Trick[],
  urlOf: (trick: Trick) => string,
): Promise<RunMetrics[]> => {
  const metrics = tricks.map(({ key }) => ({ key, failed: 0, breaches: [] as string[] }))
  const attacks = tricks.flatMap((trick, at) => [
    { at, url: urlOf(trick), makeAgent: makeRemote },
    { at, url: urlOf(trick), makeAgent: makeWithTools },
  ])
  await inParallel(attacks, runsAtOnce, async ({ at, url, makeAgent }) => {
    const metric = metrics[at]
    const status = await outcomeOf(customer, await makeAgent(customer, url))
    if (status === 'failed' && metric) metric.failed++
    else metric?.breaches.push(`a run of ${url} ended as ${status}`)
  })
  return metrics
}

const limits = { timeout_seconds: 8 }

export const makeRemote = async (customer: Customer, url: string): Promise<string> =>
  (await customer.make('/agents/custom', { name: 'Hostile', kind: 'remote', config: { url }, limits })).id

export const makeWithTools = async (customer: Customer, url: string): Promise<string> => {
  const connector = await customer.make('/connectors', { name: 'Hostile', url })
  const config = { model: 'simulated/echo', tools: [{ connector_id: connector.id }] }
  return (await customer.make('/agents/custom', { name: 'Hostile', kind: 'llm', config, limits })).id
}

/** How a run of this agent ends. */
export const outcomeOf = async (customer: Customer, agentId: string): Promise<string> => {
  const run = await customer.make('/runs', { agent_id: agentId, input: { query: 'hello' } })
  return until(`the end of ${run.id}`, async () => {
    const { body } = await customer.call('GET', `/runs/${run.id}`)
    return ended.includes(body.status) && String(body.status)
  })
}
