import { type Dirent, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PartError } from './part.ts'
import { findProcess, isAlive, ownIdentity, type ProcessIdentity } from './process-table.ts'

/** What a pid file holds: enough to be sure, later, that a process is the one we started. */
type PidRecord = ProcessIdentity & {
  command: string
  owner: ProcessIdentity
}

export const writePidFile = (file: string, pid: number, command: string): void => {
  const startedAt = findProcess(pid)?.startedAt
  if (!startedAt) return // It ended at once: the caller that waits for it reports the exit.
  mkdirSync(dirname(file), { recursive: true })
  const record: PidRecord = { pid, startedAt, command, owner: ownIdentity() }
  writeFileSync(file, `${JSON.stringify(record)}\n`)
}

export const removePidFile = (file: string): void => {
  rmSync(file, { force: true })
}

/**
 * Ends the process that an earlier stack left behind when it was killed. A number alone proves nothing, since numbers are
 * used again: the process must have begun at the recorded moment with the recorded command line, and its owner be dead.
 */
export const reapStale = async (file: string, graceMs: number): Promise<void> => {
  const record = read(file)
  if (!record) return removePidFile(file)
  const isOurs = () => isAlive(record) && findProcess(record.pid)?.command === record.command
  if (isOurs()) {
    if (isAlive(record.owner)) {
      throw new PartError(
        `${basename(file, '.pid')} already runs in ${dirname(file)} (process ${record.pid}, started by process ` +
          `${record.owner.pid}). Stop that stack first, or choose another directory with --dir.`,
      )
    }
    await waitUntil(() => !isOurs(), graceMs)
    if (isOurs()) process.kill(record.pid, 'SIGKILL')
    if (!(await waitUntil(() => !isOurs(), 10_000))) {
      throw new PartError(`process ${record.pid}, left over from an earlier stack, cannot be killed: ${record.command}`)
    }
  }
  removePidFile(file)
}

/** Ends what an abandoned stack left running anywhere below `directory`. */
export const reapAllBelow = async (directory: string): Promise<void> => {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await reapAllBelow(path)
    else if (entry.isFile() && entry.name.endsWith('.pid')) await reapStale(path, 5000)
  }
}

/** None, if another process that reaps the same stack has deleted the directory. */
const entriesOf = (directory: string): Dirent[] => {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Looks again every 20 ms until the condition holds; false when it did not in time. */
export const waitUntil = async (condition: () => boolean, timeoutMs: number): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs
  while (!condition()) {
    if (performance.now() > deadline) return false
    await sleep(20)
  }
  return true
}

const read = (file: string): PidRecord | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PidRecord
  } catch {
    return undefined // Missing, or cut short by a crash while it was written.
  }
}
