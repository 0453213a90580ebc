import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reserveFreeBlock } from '../dev/parts/ports.ts'
import { removePostgresHome } from '../dev/parts/postgres-home.ts'
import { createStack, type Stack } from '../dev/stack.ts'

export interface Seed {
  api_key: string
  agents: { id: string; name: string }[]
}

/** A stack in a directory and on ports of its own: migrated and seeded, without any server yet. */
export interface TemporaryStack {
  stack: Stack
  seed: Seed
  agentId(name: string): string
  /** Stops everything. The directory goes too, unless its logs are still wanted. */
  dispose(options: { keepFiles: boolean }): Promise<void>
}

export async function startTemporaryStack(name: string): Promise<TemporaryStack> {
  const block = await reserveFreeBlock()
  const dir = mkdtempSync(join(tmpdir(), `ars-${name}-`))
  // Postgres runs as a user of its own when we are root, and must be able to walk through.
  chmodSync(dir, 0o711)
  const stack = createStack({ dir, base: block.base })
  const dispose: TemporaryStack['dispose'] = async ({ keepFiles }) => {
    live.delete(dispose)
    await stack.stop()
    await block.release()
    if (keepFiles) return
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

/** Ctrl-C, or the end of a CI phase's patience: nothing stays behind. */
export function stopStacksOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      void Promise.allSettled([...live].map((dispose) => dispose({ keepFiles: false }))).finally(() =>
        process.exit(130),
      )
    })
  }
}
