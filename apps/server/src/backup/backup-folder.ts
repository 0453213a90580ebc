import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { CommandFailed } from '../admin/command.ts'
import { isSegment, segmentNumberOf } from './wal-segment.ts'

// A back-up folder holds the WAL of one history and the base back-ups from which it can be replayed:
//   ars-backup.json                    which cluster this is
//   wal/                               what `backup --follow` receives
//   base-20261118T053400Z/data/        a data directory of Postgres with its checksum manifest
//   base-20261118T053400Z/backup.json  what is known about it

const identityFile = 'ars-backup.json'
const unfinished = '.unfinished'
const format = 1

const Identity = z.object({ format: z.literal(format), system_identifier: z.string(), timeline: z.number() })

const BaseFacts = z.object({
  format: z.literal(format),
  started_at: z.iso.datetime(),
  /** In the time of the database: a restore cannot go back further. */
  ended_at: z.iso.datetime(),
  program_version: z.string(),
  schema: z.string().nullable(),
  postgres_major: z.number(),
  system_identifier: z.string(),
  timeline: z.number(),
  bytes: z.number(),
  files: z.number(),
  /** Files that a restore needs beside this folder. */
  keep_also: z.array(z.object({ what: z.string(), path: z.string().nullable(), copied: z.boolean() })),
})
export type BaseFacts = z.infer<typeof BaseFacts>

export type Base = BaseFacts & { name: string; dir: string }

export const walFolder = (folder: string): string => join(folder, 'wal')

/** Makes the folder, or checks that it belongs to this history of this cluster. */
export const openBackupFolder = (
  folder: string,
  { systemIdentifier, timeline }: { systemIdentifier: string; timeline: number },
): void => {
  if (existsSync(folder) && !existsSync(join(folder, identityFile)) && readdirSync(folder).length > 0)
    throw new CommandFailed(
      `${resolve(folder)} is not empty and is not a back-up folder. Name a folder that does not exist or is empty.`,
    )
  if (!existsSync(join(folder, identityFile))) {
    mkdirSync(walFolder(folder), { recursive: true, mode: 0o700 })
    refuseOpenFolder(folder)
    writeJson(join(folder, identityFile), { format, system_identifier: systemIdentifier, timeline })
    return
  }
  refuseOpenFolder(folder)
  const identity = readIdentity(folder)
  if (identity.system_identifier !== systemIdentifier)
    throw new CommandFailed(`${resolve(folder)} holds back-ups of another Postgres cluster. Name a new folder.`)
  if (identity.timeline !== timeline)
    throw new CommandFailed(
      `The database was restored or failed over since ${resolve(folder)} was made (timeline ${timeline}, the folder has ${identity.timeline}). Name a new folder and keep this one until the new one has a back-up.`,
    )
}

/** The folder decides what a restored database holds and executes, so that nobody else may write into it. */
const refuseOpenFolder = (folder: string): void => {
  for (const path of [folder, walFolder(folder)]) {
    const { mode, uid } = statSync(path)
    if ((mode & 0o002) !== 0)
      throw new CommandFailed(
        `Every user of this machine may write into ${resolve(path)}, and so change what a restore brings back. Take the right away: chmod o-w ${resolve(path)}`,
      )
    const me = process.getuid?.() ?? 0
    if (me !== 0 && uid !== me && uid !== 0)
      throw new CommandFailed(`${resolve(path)} belongs to another user, who could change what a restore brings back.`)
  }
}

/**
 * Before a restore: the back-up consists of folders and plain files. A link could lead to any file that only this user may
 * read, and a pipe would never end.
 */
export const refuseOddFiles = (folder: string, base: Base): void => {
  refuseOpenFolder(folder)
  for (const below of [walFolder(folder), join(base.dir, 'data')])
    for (const entry of readdirSync(below, { recursive: true, withFileTypes: true }))
      if (!entry.isFile() && !entry.isDirectory())
        throw new CommandFailed(
          `${join(entry.parentPath, entry.name)} is neither a plain file nor a folder. No back-up contains such a thing: look who may write there.`,
        )
}

const readIdentity = (folder: string): z.infer<typeof Identity> =>
  readJson(Identity, join(folder, identityFile), `${resolve(folder)} is not a back-up folder of this release`)

/** Oldest first. */
export const listBases = (folder: string): Base[] => {
  readIdentity(folder)
  return readdirSync(folder)
    .filter((name) => /^base-\d{8}T\d{6}Z$/.test(name))
    .toSorted()
    .map((name) => {
      const dir = join(folder, name)
      return { ...readJson(BaseFacts, join(dir, 'backup.json'), `${dir} is not a base back-up`), name, dir }
    })
}

type NewBase = { dir: string; data: string; finish(facts: BaseFacts): Base; discard(): void }

/** The folder gets its final name when the base back-up is complete and verified. */
export const newBase = (folder: string, now: Date): NewBase => {
  const name = `base-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  const [dir, making] = [join(folder, name), join(folder, `${name}${unfinished}`)]
  if (existsSync(dir) || existsSync(making)) throw new CommandFailed(`${name} exists. Run the command again.`)
  mkdirSync(making, { mode: 0o700 })
  return {
    dir: making,
    data: join(making, 'data'),
    finish: (facts) => {
      writeJson(join(making, 'backup.json'), facts)
      renameSync(making, dir)
      return { ...facts, name, dir }
    },
    discard: () => rmSync(making, { recursive: true, force: true }),
  }
}

/** Deletes what interrupted commands left. A younger folder may belong to a command that still runs. */
export const removeUnfinished = (folder: string, { olderThanMs, now }: { olderThanMs: number; now: Date }): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('base-') && name.endsWith(unfinished))
    .filter((name) => now.getTime() - statSync(join(folder, name)).mtimeMs > olderThanMs)
    .map((name) => {
      rmSync(join(folder, name), { recursive: true, force: true })
      return name
    })

/** Keeps the newest base back-ups and the WAL that they need. Answers what it deleted. */
export const removeOld = (folder: string, keep: number): { bases: string[]; segments: number } => {
  const bases = listBases(folder)
  const old = bases.slice(0, Math.max(0, bases.length - keep))
  const [oldest] = bases.slice(old.length)
  if (!oldest) return { bases: [], segments: 0 }
  for (const { dir } of old) rmSync(dir, { recursive: true })
  const first = segmentNumberOf(firstSegmentOf(join(oldest.dir, 'data')))
  const needless = readdirSync(walFolder(folder)).filter((name) => isSegment(name) && segmentNumberOf(name) < first)
  for (const name of needless) rmSync(join(walFolder(folder), name))
  return { bases: old.map(({ name }) => name), segments: needless.length }
}

/** The name of the first WAL segment that a base back-up needs. */
export const firstSegmentOf = (data: string): string => {
  const label = readFileSync(join(data, 'backup_label'), 'utf8')
  const name = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)$/m.exec(label)?.[1]
  if (name === undefined) throw new CommandFailed(`${join(data, 'backup_label')} names no WAL file`)
  return name
}

const writeJson = (file: string, value: unknown): void =>
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })

const readJson = <Schema extends z.ZodType>(schema: Schema, file: string, otherwise: string): z.infer<Schema> => {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw new CommandFailed(`${otherwise}: ${file} cannot be read`, { cause: error })
  }
}
