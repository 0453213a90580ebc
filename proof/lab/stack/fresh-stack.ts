import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { reapAllBelow } from '@ars/tools/dev/parts/pid-file'
import { removePostgresHome } from '@ars/tools/dev/parts/postgres-home'
import { createStack, type Stack, type StackOptions } from '@ars/tools/dev/stack'

/** Of the servers in a measurement, so that logging does not count. */
export const logLevel = 'warn'

/** A stack in a directory that is emptied first. Nothing is started yet. */
export const openFreshStack = async (options: StackOptions): Promise<{ stack: Stack; dispose(): Promise<void> }> => {
  const { dir } = options
  if (existsSync(dir)) await clear(dir)
  mkdirSync(dir, { recursive: true })
  const stack = createStack(options)
  return {
    stack,
    dispose: async () => {
      await stack.stop()
      await clear(dir)
    },
  }
}

const clear = async (dir: string): Promise<void> => {
  await reapAllBelow(dir)
  removePostgresHome(join(dir, 'postgres'))
  rmSync(dir, { recursive: true, force: true })
}
