import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { CommandFailed } from '../admin/command.ts'
import { serverBounds } from '../bounds.ts'

/** Runs a program of Postgres to its end. The message of a failure is for the operator and holds no password. */
export type Programs = (name: string, run: Run) => Promise<void>

type Run = {
  args: readonly string[]
  /** Added to its environment. */
  env?: NodeJS.ProcessEnv
  /** The program is killed after this time. Null: it serves until it is stopped. */
  limitMs: number | null
  /** It is also killed when it has printed nothing for this time. */
  silenceMs?: number
  /** Receives each line of the standard output. */
  onOutput?: (line: string) => void
  /** Receives each line of the standard error. */
  onError?: (line: string) => void
  /** Statuses that are no failure. */
  accepts?: readonly number[]
  /** Ends the program in good order. */
  signal?: AbortSignal | undefined
}

const maxKeptLines = serverBounds.programLines.count
const termSeconds = 10

/** The programs of a major version. `env` is the environment of this process. */
export const openPrograms = (env: NodeJS.ProcessEnv, major: number): Programs => {
  // Settings such as PGHOST of the operator's shell must not lead a program to another server. Dates are in UTC.
  const own = { PATH: env.PATH, HOME: env.HOME, LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  return async (name, run) =>
    runProgram(findProgram(name, major, env.PATH ?? ''), { ...run, env: { ...own, ...run.env } })
}

/**
 * Finds a program of Postgres: first of the server's major version where Debian installs it, then along PATH. The tools
 * of another version may not read the files.
 */
const findProgram = (name: string, major: number, path: string): string => {
  const folders = [`/usr/lib/postgresql/${major}/bin`, ...path.split(delimiter)].filter((folder) => folder !== '')
  const found = folders.map((folder) => join(folder, name)).find(isExecutable)
  if (found) return found
  throw new CommandFailed(
    `${name} is not installed. Install the programs of Postgres ${major} on this machine, for example the Debian package postgresql-${major}.`,
  )
}

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return existsSync(file)
  } catch {
    return false
  }
}

const runProgram = async (program: string, run: Run): Promise<void> => {
  const { args, env = {}, limitMs, silenceMs, accepts = [0], signal } = run
  const name = program.slice(program.lastIndexOf('/') + 1)
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const kept: string[] = []
  let why: string | undefined
  const stop = (reason: string | undefined): void => {
    why ??= reason
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), termSeconds * 1000).unref()
  }
  const limit =
    limitMs === null
      ? undefined
      : setTimeout(() => stop(`did not end within ${Math.round(limitMs / 60_000)} minutes`), limitMs)
  let silence: NodeJS.Timeout | undefined
  const heard = (): void => {
    clearTimeout(silence)
    if (silenceMs !== undefined)
      silence = setTimeout(() => stop(`made no progress for ${Math.round(silenceMs / 1000)} s`), silenceMs)
  }
  heard()
  const abort = (): void => stop(undefined)
  signal?.addEventListener('abort', abort)
  createInterface({ input: child.stdout }).on('line', (line) => {
    heard()
    run.onOutput?.(line)
  })
  createInterface({ input: child.stderr }).on('line', (line) => {
    heard()
    kept.push(line)
    if (kept.length > maxKeptLines) kept.shift()
    run.onError?.(line)
  })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(new CommandFailed(`${program} cannot be run: ${error.message}`)))
      child.once('close', resolve)
    })
    if (signal?.aborted) return
    if (why !== undefined) throw new CommandFailed(`${name} ${why} and was stopped.`)
    if (code === null || !accepts.includes(code)) throw new CommandFailed(explain(name, kept))
  } finally {
    clearTimeout(limit)
    clearTimeout(silence)
    signal?.removeEventListener('abort', abort)
  }
}

const advice: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/, 'The disk is full. Free space or choose another folder, then run the command again.'],
  [
    /no pg_hba\.conf entry for replication/,
    'Allow replication connections of this role in pg_hba.conf (`host replication ars_backup 10.0.0.0/8 scram-sha-256`) and reload Postgres.',
  ],
  [/must be superuser or replication role|permission denied to start WAL sender/, 'Use a role with `replication`.'],
  [/replication slot .* is active/, 'Another process receives WAL through this slot. Only one may.'],
  [/all replication slots are in use/, 'Increase max_replication_slots of Postgres.'],
  [/number of requested standby connections exceeds/, 'Increase max_wal_senders of Postgres.'],
  [
    /requested WAL segment .* has already been removed/,
    'The server no longer has this WAL. Begin a new back-up folder.',
  ],
]

/** What went wrong in the words of the program, and what to do about it. */
export const explain = (name: string, lines: readonly string[]): string => {
  const text = lines.filter((line) => !/^\s*\d+\/\d+ kB/.test(line)).join('\n')
  const known = advice.find(([pattern]) => pattern.test(text))
  return `${name} failed:\n${text}${known ? `\n${known[1]}` : ''}`
}

/** The address without its password, which goes into the environment, where other users cannot read it. */
export const connectionOf = (url: string): { args: string[]; env: NodeJS.ProcessEnv } => {
  const parsed = new URL(url)
  const password = decodeURIComponent(parsed.password)
  parsed.password = ''
  return { args: ['--dbname', parsed.href], env: password === '' ? {} : { PGPASSWORD: password } }
}
