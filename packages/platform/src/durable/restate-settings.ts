import { readFileSync } from 'node:fs'
import { releaseFile } from '../release-files.ts'

/** What differs from one engine to the next. */
export type EngineSettings = {
  dataDir: string
  /** The private key with which it signs its requests to workers. */
  identityFile: string
  bindIp: string
  ports: { ingress: number; admin: number; node: number }
  /** Read at the first start on this data only. */
  partitions: number
  /** How many invocations each partition executes at the same time; not below `ARS_CELL_SLOTS`. */
  concurrentInvocations: number
  logFilter: string
}

/** `deploy/restate.toml` with these values. */
export const restateSettings = (options: Partial<EngineSettings>): string => {
  const { ports } = options
  const values: Readonly<Record<string, string | number | undefined>> = {
    'base-dir': options.dataDir,
    'default-num-partitions': options.partitions,
    'bind-ip': options.bindIp,
    'bind-port': ports?.node,
    'advertised-address': ports && `http://127.0.0.1:${ports.node}/`,
    'log-filter': options.logFilter,
    'worker.invoker.concurrent-invocations-limit': options.concurrentInvocations,
    'worker.invoker.request-identity-private-key-pem-file': options.identityFile,
    'admin.bind-port': ports?.admin,
    'ingress.bind-port': ports?.ingress,
  }
  return replaceSettings(readFileSync(releaseFile('deploy/restate.toml'), 'utf8'), values)
}

/** A configuration file with other values; a setting is named with its section. `undefined` keeps the value of the file. */
export const replaceSettings = (
  file: string,
  values: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): string => {
  const left = new Set(Object.keys(values))
  let section = ''
  const lines = file.split('\n').map((line) => {
    section = /^\[(.+)\]$/.exec(line)?.[1]?.concat('.') ?? section
    const name = /^([a-z0-9-]+) = /.exec(line)?.[1]
    if (name === undefined || !left.delete(section + name)) return line
    const value = values[section + name]
    return value === undefined ? line : `${name} = ${JSON.stringify(value)}`
  })
  if (left.size > 0) throw new Error(`The engine's configuration file lacks ${[...left].join(', ')}`)
  return lines.join('\n')
}
