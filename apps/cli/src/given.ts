import { CommandError } from './exit-code.ts'
import { readSecret, readValue } from './input.ts'
import { readMoment } from './moment.ts'
import type { Input } from './operation.ts'

/** Fields whose option has another name. */
export const flagNames: Readonly<Record<string, string>> = {
  agent_id: 'agent',
  connector_id: 'connector',
  created_after: 'since',
  created_before: 'until',
  event_type: 'event',
  pipeline_id: 'pipeline',
  policy_id: 'policy',
  q: 'search',
}

/** The fields that were given as options, under their names in the API. */
export const readFields = async (
  inputs: readonly Input[],
  options: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> => {
  const fields: Record<string, unknown> = {}
  for (const input of inputs) {
    const given = options[flagNames[input.name] ?? camel(input.name)] ?? options[camel(`set_${input.name}`)]
    if (typeof given === 'string') fields[input.name] = await readGiven(input, given)
  }
  return fields
}

const readGiven = async ({ name, kind, isSecret }: Input, given: string): Promise<unknown> => {
  const flag = `--${flagNames[name] ?? name.replaceAll('_', '-')}`
  if (isSecret) return readSecret(given, flag)
  // Many fields can be cleared.
  if (given === 'null') return null
  if (name === 'created_after' || name === 'created_before') return readMoment(given, Date.now())
  if (kind === 'text') return given
  if (kind === 'words') return given === '' ? [] : given.split(',').map((word) => word.trim())
  if (kind === 'json') return readValue(given, flag)
  if (kind === 'pairs') return pairsOf(given, flag)
  const value = kind === 'number' ? Number(given || Number.NaN) : ({ true: true, false: false } as const)[given]
  if (value === undefined || Number.isNaN(value)) {
    throw new CommandError(`${flag} must be ${kind === 'number' ? 'a number' : 'true or false'}`)
  }
  return value
}

const pairsOf = (given: string, flag: string): Record<string, string> => {
  const pairs = given.split(',').map((pair) => {
    const at = pair.indexOf('=')
    if (at < 1) throw new CommandError(`${flag} must have the form key=value,key=value`)
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const
  })
  return Object.fromEntries(pairs)
}

/** As commander names an option. */
const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
