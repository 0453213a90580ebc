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
  const unknown = Object.entries(env).filter(
    ([name, value]) => name.startsWith('ARS_') && !known.has(name) && !isServiceLink(name, value),
  )
  const raw = Object.fromEntries(fields.map((field) => [field, env[variableName(field)] || undefined]))
  const parsed = validate(schema, raw)
  const faults = [
    ...unknown.map(([name]) => `${name} is not a known setting`),
    ...('data' in parsed ? [] : parsed.faults).map(({ path, message }) => {
      const name = variableName(String(path[0]))
      return `${name}: ${isServiceLink(name, env[name]) ? serviceLinkFault(name) : message}`
    }),
  ]
  if (faults.length > 0 || !('data' in parsed)) throw new ConfigError(faults.join('\n'))
  return parsed.data
}

/**
 * Kubernetes adds variables for every Service to every pod. Those of a Service `ars-worker` begin with `ARS_WORKER_`:
 * `…_SERVICE_HOST`, `…_SERVICE_PORT`, `…_SERVICE_PORT_HTTPS`, `…_PORT=tcp://10.96.1.4:9080`, `…_PORT_9080_TCP_ADDR`.
 */
const isServiceLink = (name: string, value: string | undefined): boolean =>
  /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value ?? ''))

const serviceLinkFault = (name: string): string =>
  `holds an address that Kubernetes has set for a Service named ${name.slice(0, -'_PORT'.length).toLowerCase().replaceAll('_', '-')}; set enableServiceLinks: false for the pod`

/** A boolean setting: `true` or `false`. */
export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
