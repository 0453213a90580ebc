import { z } from 'zod'

/** A value that the process cannot start with, named by the variable that holds it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** `databaseUrl` is read from `ARS_DATABASE_URL`. */
export const variableName = (field: string): string =>
  `ARS_${field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

/** Parsed once, at start. All faults are told together, each with the variable's name, never with its value. */
export const parseConfig = <Schema extends z.ZodObject>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): z.output<Schema> => {
  const fields = Object.keys(schema.shape)
  const known = new Set(fields.map(variableName))
  const unknown = Object.keys(env).filter((name) => name.startsWith('ARS_') && !known.has(name))
  const raw = Object.fromEntries(fields.map((field) => [field, env[variableName(field)] || undefined]))
  const parsed = schema.safeParse(raw)
  const faults = [
    ...unknown.map((name) => `${name} is not a setting of this program`),
    ...(parsed.error?.issues ?? []).map((issue) => `${variableName(String(issue.path[0]))}: ${issue.message}`),
  ]
  if (faults.length > 0 || !parsed.data) throw new ConfigError(faults.join('\n'))
  return parsed.data
}

/** A switch as an environment carries it. */
export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
