import { z } from 'zod'
import { validate } from './validation.ts'

/** The process cannot start with these settings. The message names the variables. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** `databaseUrl` is read from `ARS_DATABASE_URL`. */
export const variableName = (field: string): string =>
  `ARS_${field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

/** Parses the settings once, at start. The error lists all faults, with the names of the variables, never their values. */
export const parseConfig = <Schema extends z.ZodObject>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): z.output<Schema> => {
  const fields = Object.keys(schema.shape)
  const known = new Set(fields.map(variableName))
  const unknown = Object.keys(env).filter((name) => name.startsWith('ARS_') && !known.has(name))
  const raw = Object.fromEntries(fields.map((field) => [field, env[variableName(field)] || undefined]))
  const parsed = validate(schema, raw)
  const faults = [
    ...unknown.map((name) => `${name} is not a known setting`),
    ...('data' in parsed ? [] : parsed.faults).map(
      ({ path, message }) => `${variableName(String(path[0]))}: ${message}`,
    ),
  ]
  if (faults.length > 0 || !('data' in parsed)) throw new ConfigError(faults.join('\n'))
  return parsed.data
}

/** A boolean setting: `true` or `false`. */
export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
