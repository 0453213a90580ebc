import {
  type AuthorityRow,
  authorityRows,
  contract,
  demoReach,
  demoScopes,
  narrowedReach,
  reachesRunsOfOthers,
  requiredScopes,
  type Scope,
  type StoredFact,
  scopes,
} from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { until } from '../app.ts'
import { makeKey } from './credentials.ts'
import { makerOf } from './makers.ts'
import type { Row } from './operations.ts'
import { type JsonSchema, sampleOf } from './sample.ts'
import { inputFor, type World } from './world.ts'

/**
 * The ways in which an operation reaches more than its own scope says: a second scope, a field of the input, or the kind of
 * the stored thing (trials, checks, connectors, reruns, shares, recoveries). All of them come from the contract.
 */
export type Way = Pick<AuthorityRow, 'when' | 'stored' | 'scopes'> & { readonly name: string; readonly words: string }

export const waysOf = (rows: readonly Row[]): { row: Row; way: Way }[] => {
  const byName = new Map(rows.map((row) => [row.name, row]))
  const seen = new Set<string>()
  return authorityRows(contract).flatMap(({ name, when, stored, scopes: needed }) => {
    const row = byName.get(name)
    const condition = when === null ? stored : `${when.field} is ${when.value}`
    const words = condition === null ? '' : ` if ${condition}`
    const isIndirect = needed.length > 1 || when !== null || stored !== null
    // Of a list of values the first stands for all: one rule reads them.
    const place = `${name} ${when?.field ?? stored ?? ''} ${needed.join()}`
    if (!row || !isIndirect || (when !== null && seen.has(place))) return []
    seen.add(place)
    return [{ row, way: { name, when, stored, scopes: needed, words } }]
  })
}

/** Who calls. Each needed scope in turn is the one that is missing. */
export const callersOf = ({ operation }: Row, { scopes: needed, when }: Way): readonly Caller[] => [
  ...needed.map(
    (scope) => ({ words: `a key with every scope but ${scope}`, lacks: scope, isAdmitted: false }) as const,
  ),
  ...(narrowedReach(operation) === 'none'
    ? [{ words: 'a key for some agents', has: scopes, kind: 'narrowed', isAdmitted: false } as const]
    : []),
  ...(demoReach(operation) === 'none' || needed.some((scope) => !(demoScopes as readonly Scope[]).includes(scope))
    ? [{ words: 'a demo key', has: demoScopes, kind: 'demo', isAdmitted: false } as const]
    : []),
  ...(needsAllRuns(operation, when, needed)
    ? [{ words: 'a token that sees only its own runs', has: needed, kind: 'token', isAdmitted: false } as const]
    : []),
  // Last, because it may change the thing that all of them name.
  { words: 'a key with these scopes only', has: needed, isAdmitted: true },
]

type Caller = {
  readonly words: string
  readonly has?: readonly Scope[]
  readonly lacks?: Scope
  readonly kind?: 'narrowed' | 'demo' | 'token'
  readonly isAdmitted: boolean
}

const needsAllRuns = (operation: Row['operation'], when: Way['when'], needed: readonly Scope[]): boolean =>
  reachesRunsOfOthers(operation, when === null ? {} : nested(when.field.split('.'), when.value)) ||
  (operation.storedScopes?.some(({ scope }) => scope === 'runs:read') === true &&
    operation.names === 'organisation' &&
    when === null &&
    needed.length > requiredScopes(operation, {}).length)

/** Calls a way with a caller; what differs from the rule, as sentences. */
export type WayPlay = (called: { row: Row; way: Way }, caller: Caller) => Promise<string[]>

/** A caller, and what a way names, is made once: the callers of a way differ in the credential only. */
export const createWayPlay = (world: World): WayPlay => {
  const keys = new Map<string, Promise<string>>()
  const inputs = new Map<Way, ReturnType<typeof inputOf>>()
  return async ({ row, way }, caller) => {
    const { has, lacks, kind, isAdmitted } = caller
    const holder = JSON.stringify([has, lacks, kind])
    // A demo key has a low rate.
    const key = (kind !== 'demo' && keys.get(holder)) || keyOf(world, caller)
    keys.set(holder, key)
    const input = inputs.get(way) ?? inputOf(world, row, way)
    inputs.set(way, input)
    const answer = await world.call(row, { key: await key }, await input)
    const { status, body, text } = answer
    const isForbidden = status === 403 && body.error.code === 'forbidden'
    const lacking = lacks === undefined || text.includes(lacks)
    // A rule about the thing can still refuse: nobody removes a member who may do more.
    const isPassed = status !== 401 && !(isForbidden && text.includes('lacks the scope'))
    const isRight = isAdmitted ? isPassed : isForbidden && lacking
    const wanted = isAdmitted ? 'admitted' : '403 forbidden'
    return [...answer.faults, ...(isRight ? [] : [`${caller.words} is not ${wanted}: ${status} ${text}`])]
  }
}

const keyOf = async ({ app, mine }: World, { has, lacks, kind }: Caller): Promise<string> => {
  const held = has ?? scopes.filter((scope) => scope !== lacks)
  if (kind === 'token') {
    const made = await app.call('POST', '/v2/session-tokens', { key: mine.key, body: { scopes: held } })
    if (made.status !== 201) throw new Error(`The matrix could not make a token: ${made.status} ${made.text}`)
    return made.body.token
  }
  if (kind === 'demo') return (await makeKey(app, mine, { scopes: held, kind })).key
  const agents = kind === 'narrowed' ? { agent_ids: [await makerOf('ag').make(app, mine)] } : {}
  return (await makeKey(app, mine, { scopes: held, ...agents })).key
}

/** An input that needs these scopes: a sample, with the field of the condition, or naming a thing of the stored kind. */
const inputOf = async (world: World, row: Row, { when, stored }: Way): Promise<Record<string, unknown>> => {
  const { app, mine } = world
  const make = (prefix: string, beside: Readonly<Record<string, string>>) => makerOf(prefix).make(app, mine, beside)
  const input = await inputFor(row, make)
  if (stored !== null) return { ...input, ...(await kinds[stored](world, row)) }
  if (when === null) return input
  const value = when.value === '…' ? undefined : when.value
  const connector = when.field === 'config.tools' ? await make('con', {}) : ''
  return withField(row.schema, { path: when.field.split('.'), value, base: input }, () => connector) as typeof input
}

/** How to make a thing of each kind, and what of the input names it. A kind of the contract that lacks here does not compile. */
const kinds: Readonly<Record<StoredFact, (world: World, row: Row) => Promise<Record<string, unknown>>>> = {
  event_of_run: async (world) => {
    await makerOf('run').make(world.app, world.mine)
    const id = await until('the event of a run', async () => {
      const [event] = await world.app.query<{ id: string }>(
        `select id from events where org_id = $1 and type = 'run.completed' and position is not null limit 1`,
        [world.mine.org],
      )
      return event?.id
    })
    return { id: fromUuid('evt', id) }
  },
  webhook_of_runs: async (world) => ({ id: await webhookOfRuns(world) }),
  moved_webhook_of_runs: async (world) => ({ id: await webhookOfRuns(world), url: 'https://127.0.0.1:9/moved' }),
  policy_that_sends: async (world) => ({ id: await sendingPolicy(world) }),
  resumed_policy_that_sends: async (world) => ({ id: await sendingPolicy(world), mode: 'shadow' }),
  kept_approval: async (world) => ({ id: await approvedRun(world), from_step: 'pay' }),
}

const created = async ({ app, mine }: World, path: string, body: object) => {
  const { status, text, body: made } = await app.call('POST', `/v2${path}`, { key: mine.key, body })
  if (status >= 300) throw new Error(`The matrix could not make what it needs: ${status} ${text}`)
  return made
}

const webhookOfRuns = async (world: World): Promise<string> =>
  (await created(world, '/webhooks', { url: 'https://127.0.0.1:9/runs', events: ['run.failed'] })).id

const sendingPolicy = async (world: World): Promise<string> => {
  const rule = { check: 'http', stages: ['input'], action: 'flag', params: { url: 'https://127.0.0.1:9/check' } }
  return (await created(world, '/policies', { name: world.mine.marker, rules: [rule] })).id
}

/** A pipeline run whose step `pay` ran after a person had approved. */
const approvedRun = async (world: World): Promise<string> => {
  const { app, mine } = world
  const steps = [
    { key: 'ask', approval: { message: mine.marker } },
    { key: 'pay', agent_id: mine.agents['test-echo'], depends_on: ['ask'], input: { query: mine.marker } },
  ]
  const pipeline = await created(world, '/pipelines', { name: mine.marker, definition: { steps } })
  const { id } = await created(world, `/pipelines/${pipeline.id}/runs`, {})
  const read = async () => (await app.call('GET', `/v2/pipeline-runs/${id}`, { key: mine.key })).body
  await until('the question', async () => (await read()).required_actions.length > 0)
  await created(world, `/pipeline-runs/${id}/action`, { type: 'approve' })
  await until('the end of the pipeline run', async () => (await read()).status === 'completed')
  return id
}

type Field = { readonly path: readonly string[]; readonly value: unknown; readonly base?: unknown }

/** A sample of the schema with this value, or any, at the path. Lists on the way get one item, unions the form that fits. */
const withField = (schema: JsonSchema, { path, value, base }: Field, idOf: (prefix: string) => string): unknown => {
  const [name, ...rest] = path
  const forms = (schema.anyOf ?? schema.oneOf ?? [schema]).filter(({ type }) => type !== 'null')
  if (name === undefined) {
    const [form = {}] = forms
    if (form.type === 'array') return [value ?? sampleOf(form.items ?? {}, idOf)]
    return value ?? sampleOf(form, idOf)
  }
  const form = forms.find(({ properties, items }) => items || fits(properties?.[name], rest, value)) ?? forms[0] ?? {}
  if (form.items) return [withField(form.items, { path, value }, idOf)]
  const object = (base ?? sampleOf(form, idOf)) as Record<string, unknown>
  return { ...object, [name]: withField(form.properties?.[name] ?? {}, { path: rest, value }, idOf) }
}

const fits = (part: JsonSchema | undefined, rest: readonly string[], value: unknown): boolean =>
  part !== undefined && (rest.length > 0 || part.const === undefined || part.const === value)

const nested = ([name = '', ...rest]: readonly string[], value: string): Record<string, unknown> => ({
  [name]: rest.length === 0 ? value : nested(rest, value),
})
