import {
  type AuthorityRow,
  authorityRows,
  contract,
  type Duty,
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
export type Way = Pick<AuthorityRow, 'when' | 'stored' | 'did' | 'scopes'> & {
  readonly name: string
  readonly words: string
  /** Another value of the same field was a way before. One rule reads them all, so only its own scope is missing here. */
  readonly isNext: boolean
}

export const waysOf = (rows: readonly Row[]): { row: Row; way: Way }[] => {
  const byName = new Map(rows.map((row) => [row.name, row]))
  const seen = new Set<string>()
  return authorityRows(contract).flatMap(({ name, when, stored, did, scopes: needed }) => {
    const row = byName.get(name)
    const condition = when === null ? (stored ?? did) : `${when.field} is ${when.value}`
    const words = condition === null ? '' : ` if ${condition}`
    const isIndirect = needed.length > 1 || condition !== null
    if (!row || !isIndirect) return []
    const place = `${name} ${when?.field ?? ''} ${needed.join()}`
    const isNext = when !== null && seen.has(place)
    seen.add(place)
    return [{ row, way: { name, when, stored, did, scopes: needed, words, isNext } }]
  })
}

/** Who calls. Each needed scope in turn is the one that is missing. */
export const callersOf = ({ operation }: Row, way: Way): readonly Caller[] => {
  const { did, isNext, scopes: needed } = way
  if (did !== null) return duty
  return isNext ? lacking(needed.slice(-1)) : [...lacking(needed), ...weaker(operation, way), holding(needed)]
}

/** The key that has done it, a key that it created, and the one that it was rotated to. */
const duty: readonly Caller[] = (['itself', 'child', 'heir'] as const).map((did) => ({
  words: `the key that has done it: ${did}`,
  has: scopes,
  did,
  isAdmitted: false,
}))

const lacking = (needed: readonly Scope[]): readonly Caller[] =>
  needed.map((scope) => ({ words: `a key with every scope but ${scope}`, lacks: scope, isAdmitted: false }))

/** Last, because it may change the thing that all of them name. */
const holding = (needed: readonly Scope[]): Caller => ({
  words: 'a key with these scopes only',
  has: needed,
  isAdmitted: true,
})

const weaker = (operation: Row['operation'], { scopes: needed, when }: Way): readonly Caller[] => [
  ...(narrowedReach(operation) === 'none'
    ? [{ words: 'a key for some agents', has: scopes, kind: 'narrowed', isAdmitted: false } as const]
    : []),
  ...(demoReach(operation, needed) === 'none'
    ? [{ words: 'a demo key', has: demoScopes, kind: 'demo', isAdmitted: false } as const]
    : []),
  ...(needsAllRuns(operation, when, needed)
    ? [{ words: 'a token that sees only its own runs', has: needed, kind: 'token', isAdmitted: false } as const]
    : []),
]

type Caller = {
  readonly words: string
  readonly has?: readonly Scope[]
  readonly lacks?: Scope
  readonly kind?: 'narrowed' | 'demo' | 'token'
  readonly did?: 'itself' | 'child' | 'heir'
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
  const deeds = new Map<Way, ReturnType<typeof deedOf>>()
  const prepare = async (row: Row, way: Way, caller: Caller) => {
    if (way.did !== null && caller.did !== undefined) {
      const deed = deeds.get(way) ?? deedOf(world, way.did)
      deeds.set(way, deed)
      const { thing, keys: doers } = await deed
      return { key: doers[caller.did], input: { ...(await inputOf(world, row, way)), ...thing } }
    }
    const { has, lacks, kind } = caller
    const holder = JSON.stringify([has, lacks, kind])
    // A demo key has a low rate.
    const key = (kind !== 'demo' && keys.get(holder)) || keyOf(world, caller)
    keys.set(holder, key)
    const input = inputs.get(way) ?? inputOf(world, row, way)
    inputs.set(way, input)
    return { key: await key, input: await input }
  }
  return async ({ row, way }, caller) => {
    const { lacks, isAdmitted } = caller
    const { key, input } = await prepare(row, way, caller)
    const answer = await world.call(row, { key }, input)
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

/** What a key has done, and that key with the keys that come from it. */
const deedOf = async (world: World, did: Duty) => {
  const { app, mine } = world
  const doer = await makeKey(app, mine, { scopes })
  const as = { ...world, mine: { ...mine, key: doer.key } }
  const thing = await doings[did](as)
  const child = await makeKey(app, as.mine, { scopes })
  const heir = await created(as, `/api-keys/${doer.id}/rotate`, {})
  return { thing, keys: { itself: doer.key, child: child.key, heir: heir.key as string } }
}

/** How to do it, and what of the input names the thing. A duty of the contract that lacks here does not compile. */
const doings: Readonly<Record<Duty, (world: World) => Promise<Record<string, unknown>>>> = {
  moved_connector: async ({ app, mine }) => {
    const id = await makerOf('con').make(app, mine)
    const body = { url: 'https://127.0.0.1:9/moved' }
    const { status, text } = await app.call('PATCH', `/v2/connectors/${id}`, { key: mine.key, body })
    if (status >= 300) throw new Error(`The matrix could not move a connector: ${status} ${text}`)
    return { id }
  },
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
