import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { appendFile, chmod, chown, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { systemClock } from '@ars/platform/clock'
import { type Command, CommandFailed, optional, required, tell, UsageError, type Values } from '../admin/command.ts'
import { serverBounds } from '../bounds.ts'
import { type Base, firstSegmentOf, listBases, refuseOddFiles, walFolder } from './backup-folder.ts'
import { openPrograms, type Programs } from './postgres-program.ts'
import { verifyCopy } from './verify.ts'
import { commitTimeIn, isPartial, isSegment, segmentNumberOf, withoutGap } from './wal-segment.ts'

const maxVerifyMs = serverBounds.restoreCheck.ms
const maxDumpMs = serverBounds.dump.ms
const copiesAtOnce = serverBounds.filesCopied.count
const progressMs = 10_000
/** Postgres does not start on a folder without this file, so it is written last. */
const versionFile = 'PG_VERSION'
const settingsMark = '# Written by ars-server restore.'

/** `ars-server restore`: makes a data directory that Postgres recovers, at its next start, to a point in time. */
export const restore: Command = {
  usage: '<folder> --into DATA_FOLDER [--to TIME] [--base NAME] [--json]',
  does: 'make a data directory of Postgres from a back-up folder, up to a time or to the end',
  options: {
    into: { type: 'string' },
    to: { type: 'string' },
    base: { type: 'string' },
    json: { type: 'boolean' },
  },
  argument: 'folder',
  run: async (env, values) => {
    if (typeof values.folder !== 'string') throw new UsageError('Name the back-up folder.')
    const [folder, into, to] = [resolve(values.folder), resolve(required(values, 'into')), timeOf(values)]
    if (!existsSync(folder)) throw new CommandFailed(`${folder} does not exist.`)
    const base = chooseBase(listBases(folder), { to, name: optional(values, 'base') })
    refuseOddFiles(folder, base)
    const programs = openPrograms(env, base.postgres_major)
    const owner = prepareTarget(into)
    const startedMs = systemClock.monotonicMs()
    await copyBase(join(base.dir, 'data'), into)
    report('Verifying the checksums of the copy.')
    await verifyCopy(programs, into, { limitMs: maxVerifyMs, ignore: versionFile })
    const wal = await addWal({ folder, into, base, to, programs })
    await writeRecovery(into, wal.isWhole ? null : to)
    await copyFile(join(base.dir, 'data', versionFile), join(into, versionFile))
    if (owner) await giveAll(into, owner)
    const seconds = Math.round((systemClock.monotonicMs() - startedMs) / 1000)
    return tell(
      values,
      {
        base: base.name,
        into,
        to: to?.toISOString() ?? null,
        last_commit: wal.lastCommit?.toISOString() ?? null,
        seconds,
      },
      words({ base, into, to, ...wal, seconds }),
    )
  },
}

/** With a time zone, because a wrong one loses hours of data. */
const timeOf = (values: Values): Date | null => {
  const text = optional(values, 'to')
  if (text === undefined) return null
  const shape = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,6})?([Zz]|[+-]\d{2}:\d{2})$/
  const time = new Date(text.replace(' ', 'T'))
  if (!shape.test(text) || Number.isNaN(time.getTime()))
    throw new UsageError(`--to: ${text} is not a time such as 2026-11-18T05:40:00Z`)
  return time
}

/** The newest base back-up that ended before the time: WAL leads forward only. */
const chooseBase = (bases: readonly Base[], { to, name }: { to: Date | null; name: string | undefined }): Base => {
  const [oldest] = bases
  if (!oldest) throw new CommandFailed('The folder has no complete base back-up.')
  const named = name === undefined ? bases : bases.filter((base) => base.name === name)
  if (named.length === 0)
    throw new CommandFailed(`No base back-up ${name}. There are ${bases.map((base) => base.name).join(', ')}.`)
  const found = named.findLast(({ ended_at }) => to === null || new Date(ended_at) <= to)
  if (found) return found
  throw new CommandFailed(
    `${to?.toISOString()} is before the end of the ${name === undefined ? 'oldest base back-up' : 'base back-up'}, ${named[0]?.ended_at}.`,
  )
}

type Owner = { uid: number; gid: number }

/** Refuses to touch data. As root the folder's owner becomes the owner of the files, because Postgres refuses to be root. */
const prepareTarget = (into: string): Owner | null => {
  if (existsSync(into) && (!statSync(into).isDirectory() || readdirSync(into).length > 0))
    throw new CommandFailed(`${into} is not empty. Nothing is overwritten: name an empty or a new folder.`)
  if (process.getuid?.() !== 0) {
    mkdirSync(into, { recursive: true, mode: 0o700 })
    return null
  }
  if (!existsSync(into) || statSync(into).uid === 0)
    throw new CommandFailed(
      `Run this command as the user of Postgres, or make the folder for that user first: install -d -m 700 -o postgres ${into}`,
    )
  const { uid, gid } = statSync(into)
  return { uid, gid }
}

const copyBase = async (from: string, into: string): Promise<void> => {
  const entries = readdirSync(from, { recursive: true, withFileTypes: true })
  const pathOf = (entry: (typeof entries)[number]): string => join(entry.parentPath, entry.name).slice(from.length + 1)
  const files = entries.filter((entry) => entry.isFile()).map(pathOf)
  for (const dir of entries
    .filter((entry) => entry.isDirectory())
    .map(pathOf)
    .toSorted())
    await mkdir(join(into, dir), { mode: 0o700 })
  const waiting = files.filter((path) => path !== versionFile)
  let done = 0
  let toldAtMs = Number.NEGATIVE_INFINITY
  const copyNext = async (): Promise<void> => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      await explainDisk(into, () => copyFile(join(from, path), join(into, path)))
      await chmod(join(into, path), 0o600)
      done++
      const nowMs = systemClock.monotonicMs()
      if (nowMs - toldAtMs < progressMs) continue
      toldAtMs = nowMs
      report(`Copied ${done} of ${files.length} files.`)
    }
  }
  await Promise.all(Array.from({ length: copiesAtOnce }, copyNext))
}

type WalOptions = { folder: string; into: string; base: Base; to: Date | null; programs: Programs }
type AddedWal = { segments: number; lastCommit: Date | null; isWhole: boolean }

/** Puts the archived WAL where the recovery reads it. `isWhole`: all of it is replayed, because it ends before the time. */
const addWal = async ({ folder, into, base, to, programs }: WalOptions): Promise<AddedWal> => {
  const [archive, target] = [walFolder(folder), join(into, 'pg_wal')]
  const first = firstSegmentOf(into)
  const own = readdirSync(target).filter(isSegment)
  const segmentBytes = statSync(join(target, own[0] ?? first)).size
  const archived = readdirSync(archive)
  const isArchived = new Set(archived)
  const { names, missing } = withoutGap([...new Set([...archived, ...own])], { first, segmentBytes })
  for (const name of names.filter((each) => isArchived.has(each)).toSorted()) {
    const as = join(target, name.replace('.partial', ''))
    const isNeeded =
      !isPartial(name) || !existsSync(as) || (await usedBytes(join(archive, name))) > (await usedBytes(as))
    if (isNeeded) await explainDisk(into, () => copyFile(join(archive, name), as))
  }
  for (const name of archived.filter((each) => each.endsWith('.history')))
    await copyFile(join(archive, name), join(target, name))
  const lastCommit = await findLastCommit(target, programs)
  if (missing !== null && (to === null || lastCommit === null || lastCommit < to))
    throw new CommandFailed(
      `The WAL archive lacks the segment ${missing}, so it can be replayed up to ${lastCommit?.toISOString() ?? base.ended_at} only. To restore to that time, empty ${into} and add --to ${lastCommit?.toISOString() ?? base.ended_at}.`,
    )
  return { segments: names.length, lastCommit, isWhole: to === null || lastCommit === null || lastCommit <= to }
}

/** The rest of a segment that is not full holds zeros. */
const usedBytes = async (file: string): Promise<number> => {
  const bytes = await readFile(file)
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return end
}

/** The segments are read from the last one back, until one has a commit. */
const findLastCommit = async (wal: string, programs: Programs): Promise<Date | null> => {
  const newestFirst = readdirSync(wal)
    .filter(isSegment)
    .toSorted((a, b) => (segmentNumberOf(a) + a < segmentNumberOf(b) + b ? 1 : -1))
  for (const name of newestFirst) {
    let last: Date | null = null
    await programs('pg_waldump', {
      args: ['--rmgr=Transaction', join(wal, name)],
      limitMs: maxDumpMs,
      // It ends with an error where the WAL ends.
      accepts: [0, 1],
      onOutput: (line) => {
        last = commitTimeIn(line) ?? last
      },
    })
    if (last !== null) return last
  }
  return null
}

const writeRecovery = async (into: string, to: Date | null): Promise<void> => {
  const file = join(into, 'postgresql.auto.conf')
  const before = existsSync(file) ? await readFile(file, 'utf8') : ''
  // Lines of an earlier restore would stop this one at their time.
  const kept = before.split(settingsMark)[0] ?? ''
  await writeFile(file, kept, { mode: 0o600 })
  const lines = [
    settingsMark,
    '# All WAL that is needed is in pg_wal.',
    "restore_command = 'false'",
    "recovery_target_action = 'promote'",
    ...(to === null ? [] : [`recovery_target_time = '${to.toISOString().replace('T', ' ').replace('Z', '+00')}'`]),
  ]
  await appendFile(file, `${lines.join('\n')}\n`)
  writeFileSync(join(into, 'recovery.signal'), '', { mode: 0o600 })
  rmSync(join(into, 'standby.signal'), { force: true })
}

const giveAll = async (into: string, { uid, gid }: Owner): Promise<void> => {
  for (const entry of readdirSync(into, { recursive: true, withFileTypes: true }))
    await chown(join(entry.parentPath, entry.name), uid, gid)
  chownSync(into, uid, gid)
}

const explainDisk = async (into: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    throw new CommandFailed(`The disk of ${into} is full. Empty the folder, free space and run the command again.`, {
      cause: error,
    })
  }
}

type Words = AddedWal & { base: Base; into: string; to: Date | null; seconds: number }

const words = ({ base, into, to, segments, lastCommit, isWhole, seconds }: Words): string[] => [
  `Made ${into} from ${base.name} and ${segments} WAL files in ${seconds} s.`,
  lastCommit === null
    ? 'The WAL has no commit after the base back-up.'
    : `The last commit in the WAL is of ${lastCommit.toISOString()}.`,
  ...(to !== null && isWhole ? [`That is before ${to.toISOString()}, so all of the WAL is replayed.`] : []),
  'Next:',
  existsSync(join(into, 'postgresql.conf'))
    ? `  1. Start Postgres on ${into}. It replays the WAL; when pg_is_in_recovery() answers false, it accepts writes.`
    : `  1. Set data_directory of your postgresql.conf to ${into} and start Postgres. It replays the WAL; when pg_is_in_recovery() answers false, it accepts writes.`,
  '     If archive_command or synchronous_standby_names are set, check that they fit the new server first.',
  '  2. Restart all gateways and workers, with the key-encryption keys of this installation. Open event streams would otherwise miss events.',
  '  3. Run `ars-server doctor`.',
  '  4. Begin a new back-up folder: `ars-server backup <new folder> --follow --base-every 24`.',
  'An empty engine and an empty Redis are fine: runs continue from their last step in Postgres, and Redis holds only notifications and rate limits.',
  'Runs accepted after the restored point are gone. Their idempotency keys are free again, and their tool calls may be repeated.',
]

const report = (line: string): void => void process.stderr.write(`${line}\n`)
