import type { AgentId, UpdateAgent } from '@ars/contract'
import {
  asFields,
  type Change,
  changesAt,
  isFields,
  isSame,
  type JsonFields,
  mergeObjects,
  ownOf,
} from '../content-change.ts'
import { type Agent, type AgentContent, agentContentOf } from './agent.ts'

/** The fields of a request that change an agent. */
export type ContentPatch = Partial<
  Pick<
    UpdateAgent,
    'name' | 'description' | 'config' | 'input_schema' | 'output_schema' | 'limits' | 'policies' | 'metadata'
  >
>

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

/** The differences, field by field. A schema or a list is one field: its parts mean nothing alone. */
export const changesBetween = (old: AgentContent, next: AgentContent): Change[] =>
  contentFields.flatMap((field) => changesAt(field, [old[field], next[field]], isWhole))

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
  const taken: JsonFields = { ...mine }
  for (const [field, newest] of Object.entries(theirs)) {
    taken[field] =
      takeField(field, [(base as JsonFields)[field], (mine as unknown as JsonFields)[field], newest]) ?? null
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

const isWhole = (path: string): boolean => wholeFields.has(path)

/** Undefined: the field is omitted. */
const takeField = (path: string, [base, mine, theirs]: readonly [unknown, unknown, unknown]): unknown => {
  if (isSame(base, mine)) return theirs
  if (isWhole(path) || !isFields(mine) || !isFields(theirs)) return mine
  const known = asFields(base)
  const keys = new Set([...Object.keys(mine), ...Object.keys(theirs)])
  const entries = [...keys].map((key): [string, unknown] => [
    key,
    takeField(`${path}.${key}`, [ownOf(known, key), ownOf(mine, key), ownOf(theirs, key)]),
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

const given = <Value>(value: Value | undefined, kept: Value): Value => (value === undefined ? kept : value)
