import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { CommandError } from './exit-code.ts'
import { isRecord } from './record.ts'
import type { Format } from './terminal.ts'

/** The contents of the settings file, with its field names. */
export type StoredSettings = { base_url?: string; api_key?: string; ca_file?: string; listen_secret?: string }

/** The settings of the default profile, and those of the named ones. */
type SettingsFile = StoredSettings & { profiles?: Readonly<Record<string, StoredSettings>> }

export type Settings = {
  baseUrl: string | undefined
  apiKey: string | undefined
  caFile: string | undefined
  /** Undefined: the default one. */
  profile: string | undefined
  /** The source of each setting, for `ars config show`. */
  sources: Readonly<Record<'baseUrl' | 'apiKey' | 'caFile', Source>>
}

export type Flags = {
  apiKey?: string
  baseUrl?: string
  caFile?: string
  profile?: string
  json?: boolean
  output?: Format
}

type Source = 'flag' | 'environment' | 'file' | 'nowhere'

export const settingsFile = (): string => {
  const { ARS_CONFIG, XDG_CONFIG_HOME } = process.env
  if (ARS_CONFIG) return resolve(ARS_CONFIG)
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'ars', 'config.json')
}

/** Flags take precedence over the environment, and the environment over the file. */
export const findSettings = (flags: Flags): Settings => {
  const { ARS_API_KEY, ARS_BASE_URL, ARS_CA_FILE, ARS_PROFILE } = process.env
  const profile = checkedProfile(flags.profile || ARS_PROFILE || undefined)
  const stored = readStored(profile)
  const baseUrl = pick(flags.baseUrl, ARS_BASE_URL, stored.base_url)
  const apiKey = pick(flags.apiKey, ARS_API_KEY, stored.api_key)
  const caFile = pick(flags.caFile, ARS_CA_FILE, stored.ca_file)
  return {
    baseUrl: baseUrl.value === undefined ? undefined : toBaseUrl(baseUrl.value),
    apiKey: apiKey.value,
    caFile: caFile.value,
    profile,
    sources: { baseUrl: baseUrl.source, apiKey: apiKey.source, caFile: caFile.source },
  }
}

/**
 * The base URL of the API, which ends in the version. A bare host is completed. Plain HTTP is rejected here, before a
 * key is sent unencrypted.
 */
export const toBaseUrl = (given: string): string => {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'https:') {
    throw new CommandError(`${JSON.stringify(given)} is not an HTTPS URL`, {
      advice: 'For example https://localhost:8443/v2',
    })
  }
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path === '' ? '/v2' : path}`
}

/** A profile that does not exist yet is empty. */
export const readStored = (profile?: string): StoredSettings => {
  const whole = readWhole()
  return profile === undefined ? whole : (whole.profiles?.[profile] ?? {})
}

export const profileNames = (): string[] => Object.keys(readWhole().profiles ?? {}).sort()

const checkedProfile = (name: string | undefined): string | undefined => {
  if (name === undefined || name === 'default') return undefined
  if (/^[a-z0-9][a-z0-9_-]{0,39}$/i.test(name)) return name
  throw new CommandError(`${JSON.stringify(name)} is not a name for a profile`, {
    advice: 'Use up to 40 letters, digits, - and _.',
  })
}

const readWhole = (): SettingsFile => {
  const file = settingsFile()
  const mode = modeOf(file)
  if (mode === undefined) return {}
  // Windows has no file modes; the user's folder protects the file.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new CommandError(
      `${file} contains a key and is readable by others (mode ${(mode & 0o777).toString(8).padStart(4, '0')}). It is not used.`,
      { advice: `Run: chmod 600 ${file}. If others may have read it, rotate the key.` },
    )
  }
  return parseStored(file, readFileSync(file, 'utf8'))
}

/** Updates some settings; undefined removes one. The file is replaced atomically and is never readable by others. */
export const writeStored = (changes: Changes, profile?: string): string => {
  const file = settingsFile()
  const whole = readWhole()
  const changed = { ...readStored(profile), ...changes } as StoredSettings
  const stored = profile === undefined ? changed : { ...whole, profiles: { ...whole.profiles, [profile]: changed } }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 })
  // A file of a crashed process with the same pid could have another mode.
  chmodSync(draft, 0o600)
  renameSync(draft, file)
  return file
}

type Changes = { [Name in keyof StoredSettings]: StoredSettings[Name] | undefined }

const parseStored = (file: string, text: string): SettingsFile => {
  const broken = (why: string, cause?: unknown) =>
    new CommandError(`${file} cannot be read: ${why}`, {
      advice: 'Correct it, or delete it and log in again with: ars login',
      cause,
    })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw broken((error as Error).message, error)
  }
  if (!isRecord(value)) throw broken('it is not a JSON object')
  const { profiles = {} } = value
  if (!isRecord(profiles)) throw broken('profiles must be an object')
  for (const each of [value, ...Object.values(profiles)]) {
    if (!isRecord(each)) throw broken('a profile must be an object')
    for (const name of ['base_url', 'api_key', 'ca_file', 'listen_secret']) {
      const found = each[name]
      if (found !== undefined && typeof found !== 'string') throw broken(`${name} must be a string`)
    }
  }
  return value as SettingsFile
}

const modeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mode

const pick = (
  flag: string | undefined,
  environment: string | undefined,
  stored: string | undefined,
): { value: string | undefined; source: Source } => {
  if (flag) return { value: flag, source: 'flag' }
  if (environment) return { value: environment, source: 'environment' }
  return stored ? { value: stored, source: 'file' } : { value: undefined, source: 'nowhere' }
}
