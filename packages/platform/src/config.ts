import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { platformBounds } from './bounds.ts'
import { validate } from './validation.ts'

/** The process cannot start with these settings. The message names the variables. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** `databaseUrl` is read from `ARS_DATABASE_URL`, and `otelServiceName` from `OTEL_SERVICE_NAME`, the name of OpenTelemetry. */
export const variableName = (field: string): string => {
  const name = field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
  return name.startsWith('OTEL_') ? name : `ARS_${name}`
}

/**
 * A secret may also be read from a file, which `ARS_DATABASE_URL_FILE` names. Undefined: the setting is not secret, or another
 * setting names its file already.
 */
export const fileVariableName = (schema: z.ZodObject, field: string): string | undefined => {
  const { secret, hasOwnFile } = z.globalRegistry.get(schema.shape[field] as z.ZodType) ?? {}
  return secret && !hasOwnFile ? `${variableName(field)}_FILE` : undefined
}

/** Parses the settings once, at start. The error lists all faults, with the names of the variables, never their values. */
export const parseConfig = <Schema extends z.ZodObject>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
): z.output<Schema> => {
  const fields = Object.keys(schema.shape)
  const known = new Set(fields.flatMap((field) => [variableName(field), fileVariableName(schema, field) ?? '']))
  const unknown = Object.entries(env).filter(
    ([name, value]) => name.startsWith('ARS_') && !known.has(name) && !isServiceLink(name, value),
  )
  const found = fields.map((field) => [field, readSetting(schema, field, env)] as const)
  const unread = new Map(found.flatMap(([field, setting]) => ('fault' in setting ? [[field, setting.fault]] : [])))
  const raw = Object.fromEntries(
    found.map(([field, setting]) => [field, 'value' in setting ? setting.value : undefined]),
  )
  const parsed = validate(schema, raw)
  const faults = [
    ...unknown.map(([name]) => `${name} is not a known setting`),
    ...unread.values(),
    ...('data' in parsed ? [] : parsed.faults)
      .filter(({ path }) => !unread.has(String(path[0])))
      .map(({ path, message }) => {
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

const maxFileBytes = platformBounds.settingFile.bytes

const readSetting = (
  schema: z.ZodObject,
  field: string,
  env: Readonly<Record<string, string | undefined>>,
): { value: string | undefined } | { fault: string } => {
  const name = variableName(field)
  const value = env[name]?.trim() ? env[name] : undefined
  const fileName = fileVariableName(schema, field)
  const file = fileName === undefined ? undefined : env[fileName] || undefined
  if (file === undefined) return { value }
  if (value !== undefined) return { fault: `Set either ${name} or ${fileName}, not both` }
  return readSecretFile(`${fileName}`, file)
}

const readSecretFile = (variable: string, file: string): { value: string } | { fault: string } => {
  try {
    if (statSync(file).size > maxFileBytes) return { fault: `${variable}: ${file} has over ${maxFileBytes} bytes` }
    const value = readFileSync(file, 'utf8').trim()
    return value === '' ? { fault: `${variable}: ${file} is empty` } : { value }
  } catch (error) {
    return { fault: `${variable}: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** A boolean setting: `true` or `false`. */
export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
