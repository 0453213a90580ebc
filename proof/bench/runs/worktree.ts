import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PartError } from '@ars/tools/dev/parts/part'
import { serverProgram } from '@ars/tools/dev/server'
import type { Stack } from '@ars/tools/dev/stack'
import type { Watched } from '../../lab/measure/cpu.ts'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { makePartitions } from '../../lab/stack/partitions.ts'
import { plantOrganisations, type Seed } from './organisations.ts'
import type { Target } from './protocol.ts'
import { serviceTarget } from './subject.ts'

/** The service of one worktree, with its own migrations, on its own Postgres, Redis and Restate. */
export type WorktreeService = {
  readonly stack: Stack
  readonly target: Target
  readonly watched: Watched
  /** The commit, and whether files differ from it. */
  readonly version: string
  stop(): Promise<void>
}

export const startWorktree = async (options: {
  checkout: string
  dir: string
  base: number
  organisations: number
  serverEnv?: NodeJS.ProcessEnv
}) => {
  const { checkout } = options
  if (!existsSync(join(checkout, serverProgram))) throw new PartError(`${checkout} has no ${serverProgram}`)
  const { stack, dispose } = await openFreshStack(options)
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    await makePartitions(stack)
    const all = await plantOrganisations(stack, seed, options.organisations)
    const env = { ARS_LOG_LEVEL: logLevel, ...options.serverEnv }
    const [gateway, worker] = [stack.server({ role: 'gateway', env }), stack.server({ role: 'worker', env })]
    await Promise.all([gateway.start(), worker.start()])
    const { postgres, redis, restate } = stack
    return {
      stack,
      target: serviceTarget(stack, seed, all),
      watched: {
        gateway: gateway.pid,
        worker: worker.pid,
        postgres: postgres.pid,
        redis: redis.pid,
        restate: restate.pid,
      },
      version: versionOf(checkout),
      stop: dispose,
    } satisfies WorktreeService
  } catch (error) {
    await dispose()
    throw error
  }
}

const versionOf = (checkout: string): string => {
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', checkout, ...words], { encoding: 'utf8' }).trim()
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`
}
