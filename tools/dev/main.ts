import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildDashboard } from './dashboard-build.ts'
import { devSettings, modelsFile } from './dev-settings.ts'
import { describeModels, findLocalModel } from './local-model.ts'
import { PartError } from './parts/part.ts'
import { defaultPortBase } from './parts/ports.ts'
import { isRedisInstalled } from './parts/redis.ts'
import { runProgram, runStack, type Seed, shortPath } from './run-stack.ts'
import { repositoryDir } from './server.ts'
import { quote, writeShellFile } from './shell-file.ts'
import { createStack, type Stack } from './stack.ts'

const help = `pnpm dev: the whole service on this computer, without containers.

Starts Postgres, Redis, Restate and one ars-server with both roles, migrates the database, builds the
dashboard if its sources are newer, and makes an organisation with an API key and an owner. On a computer without
Postgres it takes that of npm; without Redis, the server does without. What dies is started again. Ctrl-C stops
everything; a second Ctrl-C kills it. All state lies in one directory: delete it to begin afresh.

  --port-base <n>   first of the 20 ports that the stack uses; the API listens on <n> + 3
                    (default ${defaultPortBase}, or the environment variable ARS_PORT_BASE)
  --dir <path>      where the state lies (default .dev)
  --help            this text

A second stack beside the first needs both: pnpm dev --dir .dev/second --port-base 8460
`

const main = async (): Promise<void> => {
  const options = readOptions()
  if (!options) return
  const stack = createStack({ ...options, isAlone: !isRedisInstalled() })
  const models = modelsFile()
  const local = await findLocalModel()
  await runStack({
    stack,
    env: { ...devSettings(stack), ...(local && { ARS_LOCAL_MODEL_URL: local.url }) },
    models: describeModels(models && shortPath(models), local),
    beside: [{ name: 'dashboard', what: 'its files are built from the sources', work: buildDashboard }],
    welcome: (seed) => welcome(stack, writeShellFile(stack, seed.api_key), seed),
  })
}

const readOptions = (): { dir: string; base: number } | undefined => {
  const { values } = readArguments()
  if (values.help) {
    console.log(help)
    return undefined
  }
  return {
    dir: resolve(process.env.INIT_CWD ?? '', values.dir ?? join(repositoryDir, '.dev')),
    base: Number(values['port-base'] ?? process.env.ARS_PORT_BASE ?? defaultPortBase),
  }
}

const readArguments = () => {
  try {
    return parseArgs({
      options: { 'port-base': { type: 'string' }, dir: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    throw new PartError(`${(error as Error).message}\n\n${help}`, { cause: error })
  }
}

const welcome = (stack: Stack, shellFile: string, { owner }: Seed): string => {
  const { ARS_PUBLIC_URL: url } = stack.env('all')
  return `
Agent Run Service listens on ${url}. Ctrl-C stops it.

Dashboard: ${url}/dashboard/  Log in as ${owner.email} with the password ${owner.password}

In another terminal:

. ${quote(shortPath(shellFile))}
call /runs -d '{"agent_id":"'"$(agent test-echo)"'","input":{"query":"Hello"}}'
ars runs create test-echo --input '{"query":"Hello"}'
`
}

await runProgram(main)
