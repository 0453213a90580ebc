import type { ApiAnswer } from '../../lab/client/api-caller.ts'
import { leakMarkerOf } from '../leak-marker.ts'
import { keyField } from '../records.ts'
import { claim, type Stage, scenario } from '../scenario.ts'

type Size = {
  keys: number
  clients: number
}

type Variant = {
  name: string
  body: string
  path?: '/v2/runs' | '/v2/runs/stream'
  expects: 'replay' | 'refusal'
}

/** The same key with the same meaning is a retry; with any other meaning it is a mistake that must be told. */
export const fingerprint = scenario<Size>({
  name: 'R2',
  promise: 'A key reused with other parameters is refused; the same JSON value in other bytes is a replay.',
  sizes: { ci: { keys: 20, clients: 4 }, full: { keys: 200, clients: 8 } },
  play: async (stage, size) => {
    const keys = Array.from({ length: size.keys }, (_, n) => stage.key(n))
    const faults: string[] = []
    const counts = new Map<string, number>()
    const client = async (): Promise<void> => {
      for (let key = keys.shift(); key !== undefined; key = keys.shift()) {
        faults.push(...(await playKey(stage, key, counts)))
      }
    }
    await Promise.all(Array.from({ length: size.clients }, client))
    const { runs } = await stage.records()
    return {
      metrics: [
        ['keys', size.keys],
        ['runs', runs.length],
        ...[...counts].map(([name, count]) => [`sent with ${name}`, count] as const),
      ],
      claims: [
        { says: 'every change of meaning is 422, every change of bytes alone is a replay', violations: faults },
        claim('one run for each key, over both routes', runs.length === size.keys, `${runs.length} runs`),
      ],
    }
  },
})

const playKey = async (stage: Stage, key: string, counts: Map<string, number>): Promise<string[]> => {
  const { client } = stage.fleet
  const dice = stage.random.fork(key)
  const [original, ...variants] = variantsOf(stage, key)
  if (!original) return ['there is nothing to vary']
  const headers = { ...client.authorization, 'idempotency-key': key, prefer: 'wait=10' }
  const send = (variant: Variant, first: number): Promise<ApiAnswer> => {
    counts.set(variant.name, (counts.get(variant.name) ?? 0) + 1)
    const path = variant.path ?? '/v2/runs'
    return client.insist(
      {
        // What comes back on the stream is text, not a run.
        what: path === '/v2/runs' ? 'create' : 'list',
        key,
        call: { method: 'POST', path, headers, body: variant.body },
        expects: [200, 202, 422],
      },
      { first },
    )
  }
  // Either route may be the one that creates.
  const begun = await send(dice.next() < 0.5 ? original : { ...original, path: '/v2/runs/stream' }, dice.whole(0, 1))
  const runId = String(begun.headers['x-run-id'])
  const faults = /^run_\w+$/.test(runId) ? [] : [`${key}: X-Run-Id is ${runId}`]
  for (const variant of dice.shuffle(variants)) {
    const answer = await send(variant, dice.whole(0, 1))
    faults.push(...faultsOf(variant, answer, runId).map((fault) => `${key}, ${variant.name}: ${fault}`))
  }
  return faults
}

const faultsOf = ({ expects }: Variant, answer: ApiAnswer, runId: string): string[] => {
  if (expects === 'refusal') {
    const isRefused = answer.status === 422 && answer.text.includes('"idempotency_key_reused"')
    return isRefused ? [] : [`${answer.status} ${answer.text.slice(0, 200)}`]
  }
  return [
    ...(answer.status === 200 ? [] : [`${answer.status} ${answer.text.slice(0, 200)}`]),
    ...(answer.headers['idempotency-replayed'] === 'true' ? [] : ['no Idempotency-Replayed']),
    ...(answer.headers['x-run-id'] === runId ? [] : [`run ${answer.headers['x-run-id']} instead of ${runId}`]),
  ]
}

/** The first one is the original. Bodies are text, because their bytes are what it is about. */
const variantsOf = ({ fleet }: Stage, key: string): Variant[] => {
  const agent = fleet.agentId('test-echo')
  const leakMarker = leakMarkerOf(fleet.client.org)
  const body = { agent_id: agent, input: { query: 'same', number: 1.5, deep: { b: [1, 2], a: null } } }
  const metadata = { [keyField]: key, leakMarker }
  const original = { ...body, metadata }
  const reordered = {
    metadata: { leakMarker, [keyField]: key },
    input: { deep: { a: null, b: [1, 2] }, number: 1.5, query: 'same' },
    agent_id: agent,
  }
  const variant = (name: string, meaning: object): Variant => ({
    name,
    body: JSON.stringify(meaning),
    expects: 'refusal',
  })
  const same = (name: string, text: string, path: Variant['path'] = '/v2/runs'): Variant => ({
    name,
    body: text,
    path,
    expects: 'replay',
  })
  return [
    same('the original', JSON.stringify(original)),
    same('another order of fields', JSON.stringify(reordered)),
    same('more white space', JSON.stringify(original, null, 4)),
    same('escaped letters', JSON.stringify(original).replace('"same"', '"\\u0073ame"')),
    same('the other route', JSON.stringify(original), '/v2/runs/stream'),
    variant('a changed value', { ...original, input: { ...body.input, query: 'other' } }),
    variant('a changed number', { ...original, input: { ...body.input, number: 1.6 } }),
    variant('another order in a list', { ...original, input: { ...body.input, deep: { b: [2, 1], a: null } } }),
    variant('a field left out', { ...original, input: { query: 'same' } }),
    variant('another agent', { ...original, agent_id: fleet.agentId('test-steps') }),
    variant('other metadata', { ...original, metadata: { ...metadata, more: 'x' } }),
    variant('another time-out', { ...original, timeout_seconds: 77 }),
    {
      ...variant('a changed value on the other route', { ...original, input: { query: 'other' } }),
      path: '/v2/runs/stream',
    },
  ]
}
