import type { CreateAgent, UpdateAgent } from '@agent-run-service/sdk'
import type { AgentContent, AgentFields, Json } from './agent-fields.ts'

/** One changed field; null stands for a missing value. The same form as the service's diff of two versions. */
export type Change = { path: string; old: unknown; new: unknown }

const contentFields = [
  'name',
  'description',
  'config',
  'input_schema',
  'output_schema',
  'limits',
  'metadata',
] as const satisfies readonly (keyof AgentContent)[]
/** A schema or a list is one field: its parts mean nothing alone. */
const wholeFields: ReadonlySet<string> = new Set(['input_schema', 'output_schema', 'config.auth', 'limits.approval'])

/** The differences by path, as the service would list them. */
export const changesBetween = (old: AgentContent, next: AgentContent): Change[] =>
  contentFields.flatMap((field) => changesAt(field, old[field], next[field]))

const changesAt = (path: string, old: unknown, next: unknown): Change[] => {
  if (isSame(old, next)) return []
  if (wholeFields.has(path) || !isObject(old) || !isObject(next)) return [{ path, old: old ?? null, new: next ?? null }]
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort()
  return keys.flatMap((key) => changesAt(`${path}.${key}`, old[key], next[key]))
}

/** The request that turns one content into the other: objects are merged, null removes. */
export const patchBetween = (old: AgentContent, next: AgentContent): UpdateAgent => {
  const patch: Record<string, unknown> = {}
  for (const field of contentFields) {
    if (isSame(old[field], next[field])) continue
    const isMerged = field === 'config' || field === 'limits' || field === 'metadata'
    patch[field] = isMerged ? mergePatch(old[field] as Json, next[field] as Json) : next[field]
  }
  return patch as UpdateAgent
}

const mergePatch = (old: Json, next: Json): Json => {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])]
  const changed = keys.filter((key) => !isSame(old[key], next[key]))
  return Object.fromEntries(changed.map((key) => [key, next[key] ?? null]))
}

export const createBody = (content: AgentContent, kind: AgentFields['kind']): CreateAgent => ({
  name: content.name,
  kind,
  ...(content.description !== null && { description: content.description }),
  config: content.config,
  ...(content.input_schema && { input_schema: content.input_schema }),
  ...(content.output_schema && { output_schema: content.output_schema }),
  ...(Object.keys(content.limits).length > 0 && { limits: content.limits }),
  ...(Object.keys(content.metadata).length > 0 && { metadata: content.metadata }),
})

/**
 * An edit of one version, moved to a newer one: what the person did not touch takes the newer value. `both` are the
 * fields that changed on both sides; there the person's value stays.
 */
export const moveEdit = (edit: {
  base: AgentFields
  mine: AgentFields
  theirs: AgentFields
}): { fields: AgentFields; both: readonly (keyof AgentFields)[] } => {
  const { base, mine, theirs } = edit
  const names = Object.keys(theirs) as (keyof AgentFields)[]
  const touched = names.filter((name) => !isSame(base[name], mine[name]))
  return {
    fields: { ...theirs, ...Object.fromEntries(touched.map((name) => [name, mine[name]])) },
    both: touched.filter((name) => !isSame(base[name], theirs[name]) && !isSame(mine[name], theirs[name])),
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const isSame = (a: unknown, b: unknown): boolean => {
  if (a === b || (a ?? null) === (b ?? null)) return true
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, n) => isSame(each, b[n]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].every((key) => Object.hasOwn(a, key) === Object.hasOwn(b, key) && isSame(a[key], b[key]))
}
