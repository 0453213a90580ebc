import { expect } from 'vitest'
import { type Reply, type Tenant, until } from '../app.ts'
import type { Parties } from './parties.ts'
import type { Watched } from './scan.ts'

/** Things of the organisation, for the paths of what is read afterwards. */
export type PlantedIds = Readonly<Record<string, readonly string[]>>

/** The body of an answer that is no refusal. */
export const made = async (asked: Promise<Reply>): Promise<Reply['body']> => {
  const { status, text, body } = await asked
  expect(status, text).toBeLessThan(300)
  return body
}

/** Says the marker in every way that `enteringText` and `arrivingText` list. */
export const plantEverywhere = async (
  { agents }: Tenant,
  { call, planted }: Watched,
  { marker, parties }: { marker: string; parties: Parties },
): Promise<PlantedIds> => {
  const [a, b] = [marker.slice(0, 4), marker.slice(4)]
  const both = '{{input.a}}{{input.b}}'
  const ended = (path: string) =>
    until(`the end of ${path}`, async () => {
      const { body } = await call('GET', path)
      return body.finished_at !== null && body
    })
  const asking = (path: string) =>
    until(`the question of ${path}`, async () => {
      const { body } = await call('GET', path)
      return (body.required_actions?.length ?? 0) > 0 && body
    })
  const runs: string[] = []
  const start = async (agent_id: string | undefined, input: object, more: object = {}): Promise<string> => {
    const { id } = await made(
      call('POST', '/runs', { agent_id, input, ...more }, { headers: { prefer: 'respond-async' } }),
    )
    runs.push(id)
    return id
  }
  const act = (id: string, body: object) => made(call('POST', `/runs/${id}/action`, body))

  const webhook = await made(call('POST', '/webhooks', { url: parties.webhook, events: ['*'] }))
  const connector = await made(call('POST', '/connectors', { name: 'Tools', url: parties.tools.url }))

  // Inputs, metadata and names of fields; the outputs repeat them.
  await start(agents['test-echo'], { query: `${marker} tail`, [marker]: marker }, { metadata: { note: marker } })
  await call('POST', '/runs/stream', {
    agent_id: agents['test-echo'],
    input: { query: marker },
    metadata: { note: marker },
  })
  await start(agents['test-fail'], { code: 'tool_error', message: marker })
  const input_template = '${{ input.a }}${{ input.b }}'
  const templated = { name: 'Templated', config: { model: 'simulated/echo', input_template } }
  const { id: agent_id } = await made(call('POST', '/agents/custom', templated))
  await start(agent_id, { a, b })
  await made(call('POST', '/agents/prompt', { agent_id, input: { a, b } }))
  await made(call('POST', '/agents/prompt', { agent_id: agents['test-echo'], input: { query: marker } }))
  planted.add('error of a provider, a tool or a remote agent')

  // A model, and tools, one of which a person approves.
  const provided = await made(call('POST', '/agents/custom', { name: 'Provided', config: { model: parties.model } }))
  await start(provided.id, { query: marker })
  const script = [
    { text: both, chunk_chars: 3, tool_calls: [{ name: 'echo', arguments: { text: both } }] },
    { text: 'more', tool_calls: [{ name: 'tell', arguments: {} }] },
    { text: `so ${both}`, chunk_chars: 3 },
  ]
  const tools = [{ connector_id: connector.id, require_approval: ['echo'], allow: ['echo', 'tell'] }]
  const config = { model: 'simulated/script', script, tools }
  const scripted = await made(call('POST', '/agents/custom', { name: 'Scripted', config }))
  const withTools = await start(scripted.id, { a, b })
  await asking(`/runs/${withTools}`)
  await act(withTools, { type: 'approve' })
  for (const text of ['text of a model', 'call of a tool', 'result of a tool']) planted.add(text)

  const remote = { name: 'Remote', kind: 'remote', config: { url: parties.remote } }
  const { id: remoteAgent } = await made(call('POST', '/agents/custom', remote))
  await start(remoteAgent, { query: marker })
  await start(remoteAgent, { fails: true })
  planted.add('answer of a remote agent')

  // Decisions and messages.
  const approval = await start(agents['test-approval'], { message: marker })
  await asking(`/runs/${approval}`)
  await act(approval, { type: 'message', payload: { message: marker } })
  await act(approval, { type: 'approve', comment: marker })
  const question = await start(agents['test-approval'], { type: 'input', message: 'x' })
  await asking(`/runs/${question}`)
  await act(question, { type: 'respond', payload: { x: marker }, comment: marker })

  // Pipelines.
  const each = { key: 'each', agent_id: agents['test-echo'], for_each: 'input.list', input: { query: '${{ item }}' } }
  const ask = { key: 'ask', approval: { message: '${{ input.q }}' }, depends_on: ['each'] }
  const definition = { steps: [each, ask], output: { o: '${{ input.a }}${{ input.b }}' } }
  const broken = {
    key: 'broken',
    agent_id: agents['test-fail'],
    input: { code: 'tool_error', message: '${{ input.q }}' },
  }
  const pipelineRuns: string[] = []
  const startPipeline = async (defined: object): Promise<string> => {
    const pipeline = await made(call('POST', '/pipelines', { name: 'Pipeline', definition: defined }))
    const body = { input: { q: marker, list: [marker], a, b }, metadata: { note: marker } }
    const { id } = await made(call('POST', `/pipelines/${pipeline.id}/runs`, body))
    pipelineRuns.push(id)
    return id
  }
  const asked = await startPipeline(definition)
  await startPipeline({ steps: [broken] })
  await startPipeline({ steps: [{ ...each, when: 'int(input.q) > 1' }] })
  for (const part of ['list of a step', 'question', 'output', 'error of an expression'])
    planted.add(`${part} of a pipeline run`)
  await asking(`/pipeline-runs/${asked}`)
  const decision = { type: 'approve', comment: marker, payload: { x: marker } }
  await made(call('POST', `/pipeline-runs/${asked}/action`, decision))

  // Schedules and batches.
  const daily = { name: 'Daily', interval_seconds: 86_400, agent_id: agents['test-echo'] }
  const said = { input: { query: marker }, metadata: { note: marker } }
  const schedule = await made(call('POST', '/schedules', { ...daily, ...said }))
  await made(call('PATCH', `/schedules/${schedule.id}`, { ...said, input: { query: `again ${marker}` } }))
  await made(call('POST', `/schedules/${schedule.id}/run`, {}))
  const items = [{ input: { query: marker } }]
  const batch = await made(
    call('POST', '/batches', { agent_id: agents['test-echo'], items, metadata: { note: marker } }),
  )

  await Promise.all([
    ...runs.map((id) => ended(`/runs/${id}`)),
    ...pipelineRuns.map((id) => ended(`/pipeline-runs/${id}`)),
    ended(`/batches/${batch.id}`),
    until('the firing', async () => {
      const { body } = await call('GET', `/schedules/${schedule.id}/firings`)
      return body.data[0]?.status === 'started'
    }),
  ])
  const rerun = await made(call('POST', `/pipeline-runs/${pipelineRuns[1]}/rerun`, { from_step: 'broken' }))
  await ended(`/pipeline-runs/${rerun.id}`)

  // Items that wait, because another run of their agent has not ended.
  const slow = { model: 'simulated/script', script: [{ text: 'late', delay_ms: 600_000 }] }
  const limits = { max_concurrent_runs: 1 }
  const busy = await made(call('POST', '/agents/custom', { name: 'Busy', config: slow, limits }))
  const occupying = await made(
    call('POST', '/runs', { agent_id: busy.id, input: { query: marker } }, { headers: { prefer: 'respond-async' } }),
  )
  await until('the busy agent', async () => (await call('GET', `/runs/${occupying.id}`)).body.status === 'running')
  const waiting = await made(
    call('POST', '/batches', { agent_id: busy.id, items: Array.from({ length: 20 }, () => items[0]) }),
  )

  // A trial quotes what stands around its findings.
  const rules = [{ id: 'tail', check: 'keywords', stages: ['input'], action: 'flag', params: { words: ['tail'] } }]
  const policy = await made(call('POST', '/policies', { name: 'Tail', rules }))
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const trial = await made(call('POST', `/policies/${policy.id}/trials`, { since }))
  await until(
    'the trial',
    async () => (await call('GET', `/policies/${policy.id}/trials/${trial.id}`)).body.ended_at !== null,
  )

  const deliveries = await until('the deliveries', async () => {
    const { body } = await call('GET', `/webhooks/${webhook.id}/deliveries?limit=100`)
    const done = body.data.filter(({ status }: { status: string }) => status === 'succeeded')
    return done.length >= runs.length && done.map(({ id }: { id: string }) => id)
  })
  planted.add('response of a webhook receiver')
  return {
    runs,
    pipelineRuns: [...pipelineRuns, rerun.id],
    agents: [scripted.id, remoteAgent],
    connectors: [connector.id],
    webhooks: [webhook.id],
    deliveries,
    schedules: [schedule.id],
    batches: [batch.id, waiting.id],
    occupying: [occupying.id],
    policies: [policy.id],
    policyTrials: [trial.id],
  }
}

/** Ends what waits, and cancels what has ended. */
export const endWaiting = async ({ call }: Watched, ids: PlantedIds): Promise<void> => {
  const { batches = [], occupying = [], pipelineRuns = [], schedules = [] } = ids
  for (const id of batches) await made(call('DELETE', `/batches/${id}`))
  for (const id of pipelineRuns) await made(call('DELETE', `/pipeline-runs/${id}`))
  for (const id of schedules) {
    await made(call('POST', `/schedules/${id}/pause`))
    await made(call('POST', `/schedules/${id}/resume`))
    await made(call('DELETE', `/schedules/${id}`))
  }
  for (const id of occupying) await made(call('DELETE', `/runs/${id}`))
  for (const id of batches)
    await until('the end of the batch', async () => (await call('GET', `/batches/${id}`)).body.finished_at !== null)
}

/** Reads every thing in every way. */
export const readEverything = async (
  { call }: Pick<Watched, 'call'>,
  ids: PlantedIds,
  operations: readonly { name: string; path: string }[],
): Promise<void> => {
  const events = (await call('GET', '/events?limit=100')).body.data.map(({ id }: { id: string }) => id)
  const named: PlantedIds = { ...ids, events }
  const paths = operations.flatMap(({ name, path }) => {
    const [resource = ''] = name.split('.')
    if (name === 'events.watch') return []
    const values = {
      id: named[resource === 'policyTrials' ? 'policies' : resource] ?? [],
      trial_id: named.policyTrials ?? [],
      delivery_id: named.deliveries ?? [],
      key: ['each', 'broken'],
      version: ['1'],
    }
    const queries = { 'agents.diff': '?to=2', 'pipelines.diff': '?to=2', 'auditLog.list': '?limit=100' }
    const query = queries[name as keyof typeof queries] ?? ''
    return filledPaths(path, values).map((filled) => `${filled}${query}`)
  })
  const readers = Array.from({ length: 4 }, async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) await call('GET', path)
  })
  await Promise.all(readers)
}

/** A path for each combination of the values. */
const filledPaths = (path: string, values: PlantedIds): string[] => {
  const parameter = /\{(\w+)\}/.exec(path)?.[1]
  if (parameter === undefined) return [path]
  return (values[parameter] ?? []).flatMap((value) => filledPaths(path.replace(`{${parameter}}`, value), values))
}
