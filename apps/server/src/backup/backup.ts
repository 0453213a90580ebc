import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Config } from '@ars/core/config'
import { systemClock } from '@ars/platform/clock'
import { ConfigError, parseConfig } from '@ars/platform/config'
import { type BackupFacts, noteBackup, readBackupFacts, readDatabaseTime } from '@ars/platform/db/backup-facts'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { type Command, CommandFailed, numberOf, tell, UsageError, type Values } from '../admin/command.ts'
import { serverBounds } from '../bounds.ts'
import { version } from '../version.ts'
import { type Base, type BaseFacts, newBase, openBackupFolder, removeOld, removeUnfinished } from './backup-folder.ts'
import { followWal } from './follow.ts'
import { connectionOf, openPrograms, type Programs } from './postgres-program.ts'
import { verifyCopy } from './verify.ts'

const slotDefault = 'ars_backup'
const oldestMajor = 15
const maxBackupMs = serverBounds.backup.ms
// pg_basebackup prints its progress every second. Before the first line it waits for a checkpoint.
const maxSilenceMs = serverBounds.backupSilence.ms
const progressMs = 10_000
const maxKeep = serverBounds.backupsKept.count
const maxBaseEveryHours = serverBounds.baseEvery.hours

/** `ars-server backup`: one base back-up, or with `--follow` the continuous reception of WAL, with a base back-up from time to time. */
export const backup: Command = {
  usage: '<folder> [--follow [--base-every HOURS]] [--keep N] [--with-files] [--slot NAME] [--json]',
  does: 'take a verified base back-up of Postgres; --follow receives its WAL until stopped, and takes a base back-up each HOURS',
  options: {
    follow: { type: 'boolean' },
    'base-every': { type: 'string' },
    keep: { type: 'string' },
    'with-files': { type: 'boolean' },
    slot: { type: 'string' },
    json: { type: 'boolean' },
  },
  argument: 'folder',
  run: async (env, values) => {
    const { folder, slot, keep, baseEveryHours } = argumentsOf(values)
    const settings = parseConfig(usedSettings, ownOnly(env))
    const url = settings.databaseBackupUrl
    if (url === undefined)
      throw new ConfigError(
        'ARS_DATABASE_BACKUP_URL or ARS_DATABASE_BACKUP_URL_FILE: is required; it names a superuser or a role with replication',
      )
    const facts = await readFacts(url, slot)
    refuseUnfit(facts)
    openBackupFolder(folder, facts)
    const programs = openPrograms(env, facts.major)
    const isWithFiles = values['with-files'] === true
    const takeBase = (signal?: AbortSignal): Promise<Taken> =>
      takeBaseInto({ folder, keep, url, facts, programs, settings, isWithFiles, signal })
    if (values.follow === true)
      return followWal({ folder, slot, url, timeline: facts.timeline, programs, baseEveryHours, takeBase })
    return tellTaken(values, await takeBase(), { folder, isFollowed: facts.isSlotActive === true })
  },
}

const usedSettings = Config.pick({
  databaseBackupUrl: true,
  kekFile: true,
  tlsCertFile: true,
  tlsKeyFile: true,
  modelsFile: true,
  catalogFolder: true,
}).loose()
type UsedSettings = Pick<Config, 'kekFile' | 'tlsCertFile' | 'tlsKeyFile' | 'modelsFile' | 'catalogFolder'>

// Reads only the settings it needs, so that no other setting can prevent a back-up.
const ownOnly = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    [
      'ARS_DATABASE_BACKUP_URL',
      'ARS_DATABASE_BACKUP_URL_FILE',
      'ARS_KEK_FILE',
      'ARS_TLS_CERT_FILE',
      'ARS_TLS_KEY_FILE',
      'ARS_MODELS_FILE',
      'ARS_CATALOG_FOLDER',
    ].map((name) => [name, env[name]]),
  )

type Arguments = { folder: string; slot: string; keep: number | undefined; baseEveryHours: number | undefined }

const argumentsOf = (values: Values): Arguments => {
  const { folder, slot = slotDefault } = values
  if (typeof folder !== 'string') throw new UsageError('Name the back-up folder.')
  if (typeof slot !== 'string' || !/^[a-z0-9_]{1,63}$/.test(slot))
    throw new UsageError('--slot: 1 to 63 lower-case letters, digits and underscores')
  const keep = numberOf(values, 'keep')
  if (keep !== undefined && (keep < 1 || keep > maxKeep)) throw new UsageError(`--keep: must be 1 to ${maxKeep}`)
  const baseEveryHours = numberOf(values, 'base-every')
  if (baseEveryHours !== undefined && values.follow !== true) throw new UsageError('--base-every: needs --follow')
  if (baseEveryHours !== undefined && (baseEveryHours < 1 || baseEveryHours > maxBaseEveryHours))
    throw new UsageError(`--base-every: must be 1 to ${maxBaseEveryHours} hours`)
  return { folder: resolve(folder), slot, keep, baseEveryHours }
}

const readFacts = async (url: string, slot: string): Promise<BackupFacts> => {
  try {
    return await readBackupFacts(url, slot)
  } catch (error) {
    const cause = error instanceof DatabaseUnavailable ? error.cause : error
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
    throw new CommandFailed(`Cannot connect to the database with ARS_DATABASE_BACKUP_URL: ${reason}`, { cause: error })
  }
}

const refuseUnfit = ({ major, user, canReplicate, walLevel, maxWalSenders, tablespaces }: BackupFacts): void => {
  if (major < oldestMajor)
    throw new CommandFailed(`Postgres ${major} is too old: the service needs ${oldestMajor} or newer.`)
  if (!canReplicate)
    throw new CommandFailed(
      `The role ${user} may not copy the cluster. Give it the right with \`alter role ${user} replication\`, or use a superuser.`,
    )
  if (walLevel === 'minimal' || maxWalSenders === 0)
    throw new CommandFailed(
      `Postgres cannot be copied while it runs (wal_level ${walLevel}, max_wal_senders ${maxWalSenders}). Set wal_level to replica and max_wal_senders to 4 or more, and restart it.`,
    )
  if (tablespaces > 0)
    throw new CommandFailed(
      `The cluster has ${tablespaces} additional tablespaces. This command does not copy them; use pgBackRest.`,
    )
}

type BaseOptions = {
  folder: string
  keep: number | undefined
  url: string
  facts: BackupFacts
  programs: Programs
  settings: UsedSettings
  isWithFiles: boolean
  signal: AbortSignal | undefined
}

type Taken = { made: Base; removed: { bases: string[]; segments: number }; isNoted: boolean }

const takeBaseInto = async (options: BaseOptions): Promise<Taken> => {
  const { folder, keep, url, facts, programs, settings, isWithFiles, signal } = options
  const startedAt = systemClock.now()
  refuseSmallDisk(folder, facts.bytes)
  for (const name of removeUnfinished(folder, { olderThanMs: maxBackupMs, now: startedAt }))
    report(`Deleted ${name}, which an interrupted command left.`)
  const base = newBase(folder, startedAt)
  try {
    await copyCluster(base.data, { url, programs, signal })
    const endedAt = await readDatabaseTime(url)
    report('Verifying the checksums of the copy.')
    await verifyCopy(programs, base.data, { limitMs: maxBackupMs, signal })
    if (signal?.aborted) throw new CommandFailed('The base back-up was stopped.')
    const written: BaseFacts = {
      format: 1,
      started_at: startedAt.toISOString(),
      ended_at: endedAt.toISOString(),
      program_version: version,
      schema: facts.schema,
      postgres_major: facts.major,
      system_identifier: facts.systemIdentifier,
      timeline: facts.timeline,
      ...sizeOf(base.data),
      keep_also: keepAlso(settings, isWithFiles ? join(base.dir, 'files') : null),
    }
    const made = base.finish(written)
    const removed = keep === undefined ? { bases: [], segments: 0 } : removeOld(folder, keep)
    return { made, removed, isNoted: await note(url, facts.timeline, endedAt) }
  } catch (error) {
    base.discard()
    throw error
  }
}

/** The copy is whole, whatever becomes of the note. */
const note = (url: string, timeline: number, baseEndedAt: Date): Promise<boolean> =>
  noteBackup(url, timeline, { baseEndedAt }).catch(() => false)

const tellTaken = (
  values: Values,
  { made, removed, isNoted }: Taken,
  { folder, isFollowed }: { folder: string; isFollowed: boolean },
): number =>
  tell(values, { ...made, is_wal_followed: isFollowed, is_noted: isNoted, deleted: removed }, [
    ...wordsOf({ made, removed, isNoted }),
    ...(isFollowed
      ? []
      : [
          `No process receives WAL through the slot. Run \`ars-server backup ${folder} --follow --base-every 24\` as a service: without it a restore ends with this base back-up.`,
        ]),
    'Keep also, in another place than this folder:',
    ...made.keep_also.map(
      ({ what, path, copied }) => `  ${what}: ${path ?? 'not set here'}${copied ? ' (copied)' : ''}`,
    ),
  ])

const wordsOf = ({ made, removed, isNoted }: Taken): string[] => [
  `Made ${made.dir}: ${made.files} files, ${megabytes(made.bytes)} MB, verified.`,
  ...removed.bases.map((name) => `Deleted ${name}.`),
  ...(removed.segments === 0 ? [] : [`Deleted ${removed.segments} WAL files that no base back-up needs.`]),
  ...(isNoted
    ? []
    : ['The database did not note it, so that metrics and `ars-server doctor` do not know this back-up.']),
]

type Copying = Pick<BaseOptions, 'url' | 'programs' | 'signal'>

const copyCluster = async (data: string, { url, programs, signal }: Copying): Promise<void> => {
  const { args, env } = connectionOf(url)
  let toldAtMs = Number.NEGATIVE_INFINITY
  report('Copying the cluster.')
  await programs('pg_basebackup', {
    args: [
      ...args,
      '--pgdata',
      data,
      '--wal-method=stream',
      '--checkpoint=fast',
      '--label=ars-server backup',
      '--no-password',
      '--progress',
    ],
    env,
    limitMs: maxBackupMs,
    silenceMs: maxSilenceMs,
    signal,
    onError: (line) => {
      const found = /^\s*(\d+)\/(\d+) kB \((\d+)%\)/.exec(line)
      const nowMs = systemClock.monotonicMs()
      if (!found || nowMs - toldAtMs < progressMs) return
      toldAtMs = nowMs
      report(`${found[3]} % of ${megabytes(Number(found[2]) * 1024)} MB`)
    },
  })
}

const refuseSmallDisk = (folder: string, bytes: number): void => {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < bytes)
    throw new CommandFailed(
      `The disk of ${folder} has ${megabytes(bavail * bsize)} MB free, and the cluster has ${megabytes(bytes)} MB. Free space or choose another folder.`,
    )
}

const sizeOf = (dir: string): { bytes: number; files: number } => {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
  return { bytes, files: files.length }
}

/** Keys are never copied: a thief of this folder could otherwise open all secrets in it. */
const keepAlso = (settings: UsedSettings, copyInto: string | null): BaseFacts['keep_also'] => {
  const { kekFile, tlsCertFile, tlsKeyFile, modelsFile, catalogFolder } = settings
  const keyFiles = [kekFile, tlsKeyFile].filter((path) => path !== undefined && existsSync(path)).map(realPathOf)
  const isKept = (path: string): boolean => !keyFiles.includes(realPathOf(path)) && !holdsPrivateKey(path)
  const copy = (path: string | undefined): boolean => {
    if (copyInto === null || path === undefined || !existsSync(path) || !isKept(path)) return false
    mkdirSync(copyInto, { recursive: true, mode: 0o700 })
    // Links are followed: one that is copied as it is would name a file of this machine.
    cpSync(path, join(copyInto, basename(path)), { recursive: true, dereference: true, filter: isKept })
    closeToOthers(join(copyInto, basename(path)))
    return true
  }
  return [
    { what: 'key-encryption keys', path: kekFile ?? null, copied: false },
    { what: 'TLS key', path: tlsKeyFile, copied: false },
    { what: 'identity.pem of the engine', path: null, copied: false },
    { what: 'settings and passwords of the processes', path: null, copied: false },
    { what: 'TLS certificate', path: tlsCertFile, copied: copy(tlsCertFile) },
    { what: 'models file', path: modelsFile ?? null, copied: copy(modelsFile) },
    { what: 'catalog folder', path: catalogFolder ?? null, copied: copy(catalogFolder) },
  ]
}

/** A copy has the rights of its original, which others may read. */
const closeToOthers = (path: string): void => {
  const isFolder = statSync(path).isDirectory()
  chmodSync(path, isFolder ? 0o700 : 0o600)
  if (isFolder) for (const name of readdirSync(path)) closeToOthers(join(path, name))
}

const realPathOf = (path: string | undefined): string => realpathSync(path ?? '')

/** A certificate often stands in one file with its key, and a folder of settings may have keys in it. */
const holdsPrivateKey = (path: string): boolean =>
  statSync(path).isFile() && readFileSync(path).includes('PRIVATE KEY-----')

const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0)

/** Progress goes to the standard error, so that `--json` stays one line. */
const report = (line: string): void => void process.stderr.write(`${line}\n`)
