import type { AgentId, UpdateAgent } from '@ars/contract'
import { canonicalJson } from '@ars/platform/crypto'
import { type Agent, type AgentContent, agentContentOf } from './agent.ts'

/** The fields of a request that change an agent. */
export type ContentPatch = Partial<
  Pick<
    UpdateAgent,
    'name' | 'description' | 'config' | 'input_schema' | 'output_schema' | 'limits' | 'policies' | 'metadata'
  >
>

/** One changed field: null stands for a missing value. */
export type Change = { path: string; old: unknown; new: unknown }

type Json = Record<string, unknown>

/**
 * Omitted fields stay, null clears, objects are merged, lists and schemas are replaced. A name or a configuration
 * cannot be cleared; such a request was refused before.
 */
export const applyPatch = (content: AgentContent, patch: ContentPatch): AgentContent => ({
  name: patch.name ?? content.name,
  description: given(patch.description, content.description),
  config: mergeObjects(content.config, patch.config ?? {}),
  input_schema: given(patch.input_schema, content.input_schema),
  output_schema: given(patch.output_schema, content.output_schema),
  limits: patch.limits === null ? {} : (mergeObjects(content.limits, patch.limits ?? {}) as AgentContent['limits']),
  policies: patch.policies === null ? [] : (patch.policies ?? content.policies),
  metadata:
    patch.metadata === null ? {} : (mergeObjects(content.metadata, patch.metadata ?? {}) as AgentContent['metadata']),
})

/** The merge of RFC 7396: null removes a field, an object is merged into an object, any other value replaces. */
export const mergeObjects = (target: Readonly<Json>, patch: Readonly<Json>): Json => {
  const merged = new Map(Object.entries(target))
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue
    if (value === null) merged.delete(key)
    else if (isObject(value)) merged.set(key, mergeObjects(asObject(merged.get(key)), value))
    else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}

/** The differences, field by field. A schema or a list is one field: its parts mean nothing alone. */
export const changesBetween = (old: AgentContent, next: AgentContent): Change[] =>
  contentFields.flatMap((field) => changesAt(field, old[field], next[field]))

/** The actor of an event. */
export type AgentActor = { type: 'key' | 'user' | 'operator' | 'service'; id: string | null }

/** The differences between two states of an agent that its readers see; times are left out. */
export const visibleChanges = (old: Agent, next: Agent): Change[] => {
  const changes = changesBetween(agentContentOf(old), agentContentOf(next))
  // Two credentials with the same suffix look the same.
  const isCredential = old.kind === 'remote' && old.version !== next.version
  if (isCredential && changes.length === 0) {
    changes.push({ path: 'config.auth', old: old.config.auth, new: next.config.auth })
  }
  for (const field of ['catalog_version', 'status', 'monthly_budget_usd', 'budget_action'] as const) {
    if (old[field] !== next[field]) changes.push({ path: field, old: old[field], new: next[field] })
  }
  return changes
}

/** The `data` of the event `agent.updated`. */
export const agentUpdatedData = (told: {
  agentId: AgentId
  version: { old: number; new: number }
  changes: readonly Change[]
  actor: AgentActor
}) => ({
  agent_id: told.agentId,
  version: told.version,
  changed: told.changes.map(({ path }) => path),
  old: Object.fromEntries(told.changes.map((change) => [change.path, change.old])),
  new: Object.fromEntries(told.changes.map((change) => [change.path, change.new])),
  actor: { type: told.actor.type, id: told.actor.id },
})

/**
 * Takes the catalog's newer agent. Fields that the organisation has changed since it hired keep their values; the
 * others get the catalog's current values. `base` is the catalog's content at the time of the hire.
 */
export const takeCatalog = (
  base: Partial<AgentContent>,
  mine: AgentContent,
  theirs: Partial<AgentContent>,
): AgentContent => {
  const taken: Json = { ...mine }
  for (const [field, newest] of Object.entries(theirs)) {
    taken[field] = takeField(field, [(base as Json)[field], (mine as unknown as Json)[field], newest]) ?? null
  }
  return taken as unknown as AgentContent
}

const contentFields = [
  'name',
  'description',
  'config',
  'input_schema',
  'output_schema',
  'limits',
  'policies',
  'metadata',
] as const satisfies readonly (keyof AgentContent)[]

const wholeFields: ReadonlySet<string> = new Set(['input_schema', 'output_schema'])

const changesAt = (path: string, old: unknown, next: unknown): Change[] => {
  if (isSame(old, next)) return []
  if (wholeFields.has(path) || !isObject(old) || !isObject(next)) return [{ path, old: old ?? null, new: next ?? null }]
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort()
  return keys.flatMap((key) => changesAt(`${path}.${key}`, ownOf(old, key), ownOf(next, key)))
}

/** Undefined: the field is omitted. */
const takeField = (path: string, [base, mine, theirs]: readonly [unknown, unknown, unknown]): unknown => {
  if (isSame(base, mine)) return theirs
  if (wholeFields.has(path) || !isObject(mine) || !isObject(theirs)) return mine
  const known = asObject(base)
  const keys = new Set([...Object.keys(mine), ...Object.keys(theirs)])
  const entries = [...keys].map((key): [string, unknown] => [
    key,
    takeField(`${path}.${key}`, [ownOf(known, key), ownOf(mine, key), ownOf(theirs, key)]),
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** A missing value and null are equal. */
const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one ?? null) === canonicalJson(other ?? null)

const given = <Value>(value: Value | undefined, kept: Value): Value => (value === undefined ? kept : value)

const ownOf = (object: Readonly<Json>, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined)

const asObject = (value: unknown): Json => (isObject(value) ? value : {})

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
