import { readFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { ConfigError } from '@ars/platform/config'
import type { Log } from '@ars/platform/log/log'
import { watchFiles } from '@ars/platform/watched-files'
import { type ModelsFile, ModelsFileError, noModels, type ProviderEntry, parseModelsFile } from './models-file.ts'
import { type OutsideFile, originsOf, withOutside } from './outside-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Without the keys: enough to list the models. */
export const readModelsFile = (path: string | undefined, outside: OutsideFile = nothingOutside): ModelsFile => {
  if (path === undefined) return withOutside(noModels, outside)
  try {
    return withOutside(parseModelsFile(readText(path), path), outside)
  } catch (error) {
    if (error instanceof ModelsFileError) throw new ConfigError(error.message, { cause: error })
    throw error
  }
}

const nothingOutside: OutsideFile = { environment: {}, vendorKeys: false, localUrl: undefined }

export type ReadModels = {
  file: ModelsFile
  keys: ReadonlyMap<string, string>
  /** Providers that cannot be called. */
  keyless: ReadonlyMap<string, { location: string; reason: string }>
}

/** A missing file stops the start and is named, and so does a missing variable or key file, unless `needsKeys` is false. */
export const readModels = (path: string | undefined, outside: OutsideFile, needsKeys = true): ReadModels => {
  const file = readModelsFile(path, outside)
  const keys = new Map<string, string>()
  const keyless = new Map<string, { location: string; reason: string }>()
  for (const provider of file.providers.values()) {
    const key = readKey(provider, path ?? '', outside.environment)
    if (key === undefined) continue
    if ('value' in key) keys.set(provider.name, key.value)
    else keyless.set(provider.name, { location: provider.location, reason: key.fault })
  }
  if (needsKeys && keyless.size > 0) {
    const faults = [...keyless.values()].map(({ location, reason }) => `${location}: ${reason}`)
    throw new ConfigError(faults.join('\n'))
  }
  return { file, keys, keyless }
}

/**
 * Reads the file and its key files again, a few seconds after they have changed and at once on SIGHUP, so that keys are
 * rotated without a restart. While they are invalid, the old ones stay in use.
 */
export const watchModels = ({
  path,
  outside,
  needsKeys,
  inUse,
  use,
  log,
}: {
  path: string | undefined
  outside: OutsideFile
  needsKeys: boolean
  inUse: ReadModels
  use(next: ReadModels): void
  log: Log
}): { close(): void } => {
  if (path === undefined) return { close: () => undefined }
  return watchFiles({
    inUse,
    read: () => readModels(path, outside, needsKeys),
    isSame: (one, other) => contentOf(one) === contentOf(other),
    use: (next) => {
      use(next)
      log.info('models file replaced', { models: next.file.models.length, providers: next.file.providers.size })
    },
    unusable: 'new models file is not usable, the old one stays in use',
    log,
  })
}

const contentOf = ({ file, keys }: ReadModels): string =>
  JSON.stringify([file.models, [...file.providers.values()], [...keys]])

/** What the file lists and which providers are enabled, for `doctor`. `isKeyed`: the keys are read too. Throws as a start would. */
export const checkModelsFile = (
  path: string | undefined,
  outside: OutsideFile,
  { isKeyed }: { isKeyed: boolean },
): { models: number; providers: string[] } => {
  const file = isKeyed ? readModels(path, outside).file : readModelsFile(path, outside)
  return { models: file.models.length, providers: originsOf(file) }
}

const readKey = (
  { key }: ProviderEntry,
  modelsFile: string,
  environment: Environment,
): { value: string } | { fault: string } | undefined => {
  if (!key) return
  if (key.from === 'environment') {
    const value = environment[key.variable]?.trim()
    return value ? { value } : { fault: `the environment variable ${key.variable} is not set` }
  }
  // A path in the file is relative to the file.
  const path = isAbsolute(key.path) ? key.path : resolve(modelsFile, '..', key.path)
  try {
    const value = readFileSync(path, 'utf8').trim()
    return value === '' ? { fault: `the key file ${key.path} is empty` } : { value }
  } catch {
    return { fault: `the key file ${key.path} cannot be read` }
  }
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`The models file ${path} cannot be read: ${reason}`, { cause: error })
  }
}
