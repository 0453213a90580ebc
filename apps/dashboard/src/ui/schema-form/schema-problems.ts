import { type Schema as CfSchema, Validator } from '@cfworker/json-schema'
import type { Refusal } from '../../api/problem.ts'
import type { Schema } from './schema-fields.ts'

/** Problems by path: `''` is the whole value, `/items/0/name` one field. */
export type Problems = Readonly<Record<string, string>>

const maxProblems = 50
const patternKeys = new Set(['pattern', 'patternProperties'])

/** Checks a value in the browser. Patterns are left to the service, which checks them with a time limit. */
export const problemsOf = (schema: Schema, value: unknown): Problems => {
  try {
    const { errors } = new Validator(withoutPatterns(schema) as CfSchema, '2020-12', false).validate(value)
    const leaves = errors.filter(({ keyword }) => !branches.has(keyword)).slice(0, maxProblems)
    return Object.fromEntries(leaves.map(({ instanceLocation, error }) => [instanceLocation.replace(/^#/, ''), error]))
  } catch {
    // A schema that this validator does not understand is checked by the service alone.
    return {}
  }
}

/** Keywords whose errors only repeat the error of a part. */
const branches = new Set([
  'properties',
  'items',
  'prefixItems',
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
  'additionalProperties',
])

const withoutPatterns = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutPatterns)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([key]) => !patternKeys.has(key))
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutPatterns(value)]))
}

/** What the service refused, at the paths of its fields. `root`: the field of the request that the form fills. */
export const problemsOfRefusals = (refusals: readonly Refusal[], root: string): Problems => {
  const below = refusals.filter(({ param }) => param.startsWith(root) && /^([.[]|$)/.test(param.slice(root.length)))
  const found = below.map(({ param, message }) => [pointerOf(param.slice(root.length)), message] as const)
  return Object.fromEntries(found.slice(0, maxProblems))
}

/** `.items[0].name` → `/items/0/name`. */
const pointerOf = (path: string): string =>
  path
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter((part) => part !== '')
    .map((part) => `/${part}`)
    .join('')
