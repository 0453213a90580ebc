import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { reapAllBelow } from './parts/pid-file.ts'
import { reserveFreeBlock } from './parts/ports.ts'
import { throwawaySettings } from './parts/postgres.ts'
import { removePostgresHome } from './parts/postgres-home.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from './parts/process-table.ts'
import { type RestatePart, restate } from './parts/restate.ts'
import { repositoryDir } from './server.ts'
import { createStack } from './stack.ts'

const root = join(repositoryDir, '.dev', 'test')

/**
 * Starts the parts for one `vitest run` and gives their addresses to the tests. Each run has a block of ports and a
 * separate directory, so that concurrent runs do not interfere; both are released at the end.
 */
const startTestStack = async (project: TestProject): Promise<() => Promise<void>> => {
  await removeAbandoned()
  const block = await reserveFreeBlock()
  const dir = join(root, String(block.base))
  mkdirSync(dir, { recursive: true })
  writeFileSync(ownerFile(dir), JSON.stringify(ownIdentity()))

  const stack = createStack({ dir, base: block.base, postgresSettings: throwawaySettings })
  // Test files run two at a time. Each worker has an engine for the apps that a file starts, and one for the app that all
  // its files share. The servers of the stack are not started, so their ports are free for the engines.
  const engines = [0, 3, 6].map((first, index) =>
    restate({
      dir: join(dir, `restate-${index + 2}`),
      ingressPort: block.base + first,
      adminPort: block.base + first + 1,
      nodePort: block.base + first + 2,
    }),
  )
  const parts = [stack, ...engines]
  const stop = async (): Promise<void> => {
    await Promise.all(parts.map((part) => part.stop()))
    remove(dir)
    await block.release()
  }
  try {
    await Promise.all(parts.map((part) => part.start()))
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('stack', {
    postgresSuperuserUrl: stack.postgres.superuserUrl(),
    postgresPort: stack.ports.postgres,
    postgresPassword: stack.postgres.password,
    redisPort: stack.ports.redis,
    engines: [stack.restate, ...engines].map(engineFacts),
    tls: stack.tls,
  })
  return stop
}

/** Clears away what runs that were killed left behind. */
const removeAbandoned = async (): Promise<void> => {
  if (!existsSync(root)) return
  for (const entry of readdirSync(root)) {
    const dir = join(root, entry)
    const owner = readOwner(dir)
    if (!owner || isAlive(owner)) continue
    await reapAllBelow(dir)
    remove(dir)
  }
}

const remove = (dir: string): void => {
  removePostgresHome(join(dir, 'postgres'))
  rmSync(dir, { recursive: true, force: true })
}

const readOwner = (dir: string): ProcessIdentity | undefined => {
  try {
    return JSON.parse(readFileSync(ownerFile(dir), 'utf8')) as ProcessIdentity
  } catch {
    return undefined // It is being made or removed at this moment by a run that lives.
  }
}

const ownerFile = (dir: string): string => join(dir, 'owner.json')

const engineFacts = ({ ingressUrl, adminUrl, metricsUrl, identityKey }: RestatePart) => ({
  ingressUrl,
  adminUrl,
  metricsUrl,
  identityKey,
})

export default startTestStack
