import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PartError } from './part.ts'
import { waitUntil } from './pid-file.ts'
import { findProcess, listProcessesIn } from './process-table.ts'

/**
 * After a SIGKILL of the first process of a cluster its other processes go on until their present statement ends, and a
 * new start fails as long as one of them is attached to the old shared memory. They are known by their working directory,
 * which is the data directory.
 */
export const clearOrphans = async (dataDir: string): Promise<void> => {
  const findFirst = () => listProcessesIn(dataDir).find((live) => !isBackend(live.command))
  // A process that Postgres began just before its end has not got its own name yet.
  await waitUntil(() => findFirst() === undefined, 5000)
  const first = findFirst()
  if (first)
    throw new PartError(
      `a Postgres that this stack did not start runs in ${dataDir} (process ${first.pid}): stop it first`,
    )
  await waitUntil(() => listProcessesIn(dataDir).length === 0, 2000)
  await killBackends(dataDir)
  removeMisleadingLock(dataDir)
}

export const killBackends = async (dataDir: string): Promise<void> => {
  const noneLeft = await waitUntil(() => {
    const backends = listProcessesIn(dataDir).filter((live) => isBackend(live.command))
    for (const { pid } of backends) process.kill(pid, 'SIGKILL')
    return backends.length === 0
  }, 10_000)
  if (!noneLeft) throw new PartError(`Postgres processes in ${dataDir} cannot be killed`)
}

/** Postgres renames its processes, all but the first: `postgres: checkpointer`, `postgres: ars_app ars …`. */
const isBackend = (command: string): boolean => command.startsWith('postgres: ')

/**
 * Postgres takes a lock file for stale only when its process number is free. If the number is in use again by another
 * program, or by a zombie that nobody collects, no start would ever succeed. In every other case the file stays: Postgres
 * learns from it which shared memory to give back.
 */
const removeMisleadingLock = (dataDir: string): void => {
  const lock = join(dataDir, 'postmaster.pid')
  if (process.platform !== 'linux' || !existsSync(lock)) return
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0])
  const isTaken = existsSync(`/proc/${pid}`)
  if (isTaken && findProcess(pid)?.command.includes(dataDir) !== true) rmSync(lock)
}
