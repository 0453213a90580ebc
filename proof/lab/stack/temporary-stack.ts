import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { removePostgresHome } from '@ars/tools/dev/parts/postgres-home'
import { createStack, type Stack, type StackOptions } from '@ars/tools/dev/stack'
import { mountSmallDisks, type SmallDisks } from './small-disk.ts'

export type Seed = {
  api_key: string
  agents: { id: string; name: string }[]
}

/** A stack in a temporary directory and on free ports: migrated and seeded, without any server yet. */
export type TemporaryStack = {
  stack: Stack
  seed: Seed
  agentId(name: string): string
  /** Stops everything. The directory goes too, unless its logs are still wanted. */
  dispose(options: { keepFiles: boolean }): Promise<void>
}

export const startTemporaryStack = async (
  name: string,
  { smallDisks = {}, ...options }: Pick<StackOptions, 'postgresSettings'> & { smallDisks?: SmallDisks } = {},
): Promise<TemporaryStack> => {
  const block = await reserveFreeBlock()
  const dir = mkdtempSync(join(tmpdir(), `ars-${name}-`))
  // As root, Postgres runs as a separate user, which must be able to enter the directory.
  chmodSync(dir, 0o711)
  const unmount = mountSmallDisks(dir, smallDisks)
  const stack = createStack({ dir, base: block.base, ...options })
  const dispose: TemporaryStack['dispose'] = async ({ keepFiles }) => {
    live.delete(dispose)
    await stack.stop()
    await block.release()
    if (keepFiles) return
    unmount()
    removePostgresHome(join(dir, 'postgres'))
    rmSync(dir, { recursive: true, force: true })
  }
  live.add(dispose)
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    const agentId = (wanted: string): string => {
      const agent = seed.agents.find((each) => each.name === wanted)
      if (!agent) throw new Error(`the seed has no agent ${wanted}`)
      return agent.id
    }
    return { stack, seed, agentId, dispose }
  } catch (error) {
    await dispose({ keepFiles: false })
    throw error
  }
}

const live = new Set<TemporaryStack['dispose']>()

/** For a stack that an experiment puts together itself: it is disposed of on a signal too, and once only. */
export const disposable = (dispose: TemporaryStack['dispose']): TemporaryStack['dispose'] => {
  const once: TemporaryStack['dispose'] = async (how) => {
    if (live.delete(once)) await dispose(how)
  }
  live.add(once)
  return once
}

/** On Ctrl-C, or when a CI phase times out, all stacks are removed. */
export const stopStacksOnSignals = (): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      void Promise.allSettled([...live].map((dispose) => dispose({ keepFiles: false }))).finally(() =>
        process.exit(130),
      )
    })
  }
}
