import { canonicalJson } from '@ars/platform/crypto'

/** One changed field: null stands for a missing value. */
export type Change = { path: string; old: unknown; new: unknown }

export type JsonFields = Record<string, unknown>

/** The merge of RFC 7396: null removes a field, an object is merged into an object, any other value replaces. */
export const mergeObjects = (target: Readonly<JsonFields>, patch: Readonly<JsonFields>): JsonFields => {
  const merged = new Map(Object.entries(target))
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue
    if (value === null) merged.delete(key)
    else if (isFields(value)) merged.set(key, mergeObjects(asFields(merged.get(key)), value))
    else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}

/** The differences, field by field. A list is one field, as is a path that `isWhole` names: its parts mean nothing alone. */
export const changesAt = (
  path: string,
  [old, next]: readonly [unknown, unknown],
  isWhole: (path: string) => boolean,
): Change[] => {
  if (isSame(old, next)) return []
  if (isWhole(path) || !isFields(old) || !isFields(next)) return [{ path, old: old ?? null, new: next ?? null }]
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort()
  return keys.flatMap((key) => changesAt(`${path}.${key}`, [ownOf(old, key), ownOf(next, key)], isWhole))
}

/** A missing value and null are equal. */
export const isSame = (one: unknown, other: unknown): boolean =>
  canonicalJson(one ?? null) === canonicalJson(other ?? null)

export const ownOf = (fields: Readonly<JsonFields>, key: string): unknown =>
  Object.hasOwn(fields, key) ? fields[key] : undefined

export const asFields = (value: unknown): JsonFields => (isFields(value) ? value : {})

export const isFields = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
