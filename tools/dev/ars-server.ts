import { join, resolve } from 'node:path'
import { rememberedPortBase } from './dev-settings.ts'
import { isRedisInstalled } from './parts/redis.ts'
import { runProgram } from './run-stack.ts'
import { repositoryDir } from './server.ts'
import { serverCommand } from './server-command.ts'
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

await runProgram(async () => {
  const { dir, args } = readArguments(process.argv.slice(2))
  const stack = createStack({ dir, base: rememberedPortBase(dir), isAlone: !isRedisInstalled() })
  serverCommand(stack, args, callerDir)
})
