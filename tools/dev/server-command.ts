import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { devSettings } from './dev-settings.ts'
import { repositoryDir, serverProgram } from './server.ts'
import type { Stack } from './stack.ts'

/** A command of `ars-server` with the settings of a stack, at this terminal. The exit code is that of the command. */
export const serverCommand = (stack: Stack, args: readonly string[], cwd: string): void => {
  const child = spawn(process.execPath, [join(repositoryDir, serverProgram), ...args], {
    cwd,
    env: stack.env('all', devSettings(stack)),
    stdio: 'inherit',
  })
  // A Ctrl-C reaches the child too, which decides when it ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
