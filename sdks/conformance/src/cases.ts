import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Case, CaseFile, Json, JsonObject, Template } from './types.ts'
import { webhookCases } from './webhook-cases.ts'

const folder = join(import.meta.dirname, '../cases')
const fixtures = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures.json'), 'utf8')) as JsonObject

/** Every case: those of the files in `cases/`, and one for each webhook vector. */
export const loadCases = (): readonly Case[] => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const written = files.toSorted().flatMap((name) => {
    const { cases } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CaseFile
    return cases.flatMap(expand).map((one) => ({ ...one, name: `${basename(name, '.json')}: ${one.name}` }))
  })
  const all = [...written, ...webhookCases()]
  const names = new Set(all.map(({ name }) => name))
  if (names.size < all.length) throw new Error('Two cases have the same name')
  return all
}

/** One case for each combination of the values in `each`. */
const expand = ({ each = {}, ...template }: Template): Case[] => {
  let combinations: Record<string, Json>[] = [{}]
  for (const [name, values] of Object.entries(each)) {
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [name]: value })))
  }
  return combinations.map((variables) => {
    const one = fill(template as unknown as Json, variables) as unknown as Case
    const suffix = Object.entries(variables).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    return suffix.length === 0 ? one : { ...one, name: `${one.name} [${suffix.join(', ')}]` }
  })
}

/** Replaces `{"$var": name}`, `{"$text": name}`, `{"$plus": [name, number]}`, `{"$repeat": [text, times]}` and `{"$use": fixture, …}`, whose other fields are added. */
const fill = (value: Json, variables: JsonObject): Json => {
  if (Array.isArray(value)) return value.map((each) => fill(each as Json, variables))
  if (typeof value !== 'object' || value === null) return value
  const { $var: variable, $text: text, $plus: plus, $repeat: repeat, $use: fixture, ...own } = value as JsonObject
  if (typeof variable === 'string') return lookUp(variables, variable)
  if (typeof text === 'string') return String(lookUp(variables, text))
  if (Array.isArray(plus)) return Number(lookUp(variables, String(plus[0]))) + Number(plus[1])
  if (Array.isArray(repeat)) return String(repeat[0]).repeat(Number(repeat[1]))
  if (typeof fixture === 'string') {
    const found = fixtures[fixture]
    if (found === undefined) throw new Error(`There is no fixture ${fixture}`)
    return Array.isArray(found) ? found : { ...(found as JsonObject), ...(fill(own, variables) as JsonObject) }
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each as Json, variables)]))
}

const lookUp = (variables: JsonObject, name: string): Json => {
  const found = variables[name]
  if (found === undefined) throw new Error(`The variable ${name} has no value`)
  return found
}
