import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { devSettings, rememberedPortBase } from './dev-settings.ts'
import { PartError } from './parts/part.ts'
import { repositoryDir, serverProgram } from './server.ts'
import { createStack } from './stack.ts'

// `pnpm ars-server <args>`: a command of ars-server with the settings of the stack that `pnpm dev` made.
// `--dir <path>`, before everything else, names another stack than the one in .dev.

const callerDir = process.env.INIT_CWD ?? process.cwd()

const readArguments = ([first, second, ...rest]: string[]): { dir: string; args: string[] } => {
  const stackDir = (given: string): string => resolve(callerDir, given)
  if (first?.startsWith('--dir='))
    return { dir: stackDir(first.slice('--dir='.length)), args: second === undefined ? [] : [second, ...rest] }
  if (first === '--dir' && second !== undefined) return { dir: stackDir(second), args: rest }
  return {
    dir: join(repositoryDir, '.dev'),
    args: [first, second, ...rest].filter((argument) => argument !== undefined),
  }
}

const main = (): void => {
  const { dir, args } = readArguments(process.argv.slice(2))
  const stack = createStack({ dir, base: rememberedPortBase(dir) })
  const child = spawn(process.execPath, [join(repositoryDir, serverProgram), ...args], {
    cwd: callerDir,
    env: stack.env('all', devSettings(stack)),
    stdio: 'inherit',
  })
  // A Ctrl-C reaches the child too, which decides when it ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}

try {
  main()
} catch (error) {
  console.error(error instanceof PartError ? error.message : error)
  process.exitCode = 1
}
