import { once } from 'node:events'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildDashboard } from './dashboard-build.ts'
import { devSettings, modelsFile, rememberPortBase } from './dev-settings.ts'
import { type Part, PartError } from './parts/part.ts'
import { defaultPortBase } from './parts/ports.ts'
import { repositoryDir, type ServerPart } from './server.ts'
import { quote, writeShellFile } from './shell-file.ts'
import { createStack, type Stack } from './stack.ts'

const help = `pnpm dev: the whole service on this computer, without containers.

Starts Postgres, Redis, Restate and one ars-server with both roles, migrates the database, builds the
dashboard if its sources are newer, and makes an organisation with an API key and an owner. Ctrl-C stops everything; a second Ctrl-C kills it. All state lies in one
directory: delete it to begin afresh.

  --port-base <n>   first of the 20 ports that the stack uses; the API listens on <n> + 3
                    (default ${defaultPortBase}, or the environment variable ARS_PORT_BASE)
  --dir <path>      where the state lies (default .dev)
  --help            this text

A second stack beside the first needs both: pnpm dev --dir .dev/second --port-base 8460
`

type Seed = { api_key: string; owner: { email: string; password: string } }

// Commands before the start need no models, so that a broken models file fails one step, the one that names it.
const withoutModels = { ARS_MODELS_FILE: undefined }

const main = async (): Promise<void> => {
  const options = readOptions()
  if (!options) return
  const stack = createStack(options)
  const server = stack.server({ role: 'all', env: devSettings(stack) })
  const stopRequest = listenForStop()
  // Whatever is still on its way up ends at once, and its start fails: that is how we get out of `bringUp`.
  stopRequest.addEventListener('abort', () => void stack.stop())
  try {
    const seed = await bringUp(stack, server, stopRequest)
    console.log(welcome(stack, writeShellFile(stack, seed.api_key), seed))
    await Promise.race([
      once(stopRequest, 'abort'),
      unexpectedEnd([stack.postgres, stack.redis, stack.restate, server]),
    ])
  } catch (error) {
    if (!stopRequest.aborted) throw error
  } finally {
    await stack.stop()
  }
  console.log('Stopped.')
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

const bringUp = async (stack: Stack, server: ServerPart, stopRequest: AbortSignal): Promise<Seed> => {
  const { postgres, redis, restate, ports } = stack
  const step = async <T>(name: string, what: string, work: () => Promise<T>): Promise<T> => {
    stopRequest.throwIfAborted()
    const begun = performance.now()
    const result = await work()
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    console.log(`  ✓ ${name.padEnd(10)} ${seconds.padStart(5)} s   ${what}`)
    return result
  }
  await requireStartable([postgres, redis, restate, server])
  const parts = [
    step('postgres', `127.0.0.1:${ports.postgres}`, () => postgres.start()),
    step('redis', `127.0.0.1:${ports.redis}`, () => redis.start()),
    step('restate', `127.0.0.1:${ports.restateIngress}`, () => restate.start()),
    step('dashboard', 'its files are built from the sources', () => buildDashboard()),
  ]
  // All of them, and only then the failure: a part that is still on its way up could not be stopped in good order.
  await Promise.allSettled(parts)
  await Promise.all(parts)
  const note = postgres.note()
  if (note) console.log(`    Note: ${note}.`)
  await step('migrate', 'the schema is up to date', () => stack.command(['migrate'], withoutModels))
  const keep = (option: string, file: string): string[] => [`--${option}`, join(stack.dir, file)]
  const seed = await step('seed', 'an organisation with a key, an owner and test agents', () =>
    stack.command(
      ['admin', 'seed', '--json', ...keep('key-file', 'api-key'), ...keep('owner-file', 'owner.json')],
      withoutModels,
    ),
  )
  rememberPortBase(stack)
  const models = modelsFile()
  const modelsUsed = models ? `models of ${shortPath(models)}` : 'simulated models only'
  await step('server', `gateway and worker, ${modelsUsed}, log in ${shortPath(server.logFile)}`, () => server.start())
  return JSON.parse(seed) as Seed
}

/** Says all that is in the way at once, before anything is started. */
const requireStartable = async (parts: readonly Part[]): Promise<void> => {
  const outcomes = await Promise.allSettled(parts.map((part) => part.check()))
  const obstacles = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason.message)
  if (obstacles.length > 0) throw new PartError(obstacles.join('\n'))
}

/** Aborted by the first Ctrl-C. The second does not wait for good order: our exit takes every child with it. */
const listenForStop = (): AbortSignal => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130)
      console.log('\nStopping. Ctrl-C again kills.')
      controller.abort()
    })
  }
  return controller.signal
}

const unexpectedEnd = (parts: readonly Pick<ServerPart, 'onUnexpectedEnd'>[]): Promise<never> =>
  new Promise((_, reject) => {
    for (const part of parts) part.onUnexpectedEnd((words) => reject(new PartError(words)))
  })

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

const shortPath = (path: string): string => {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}

try {
  await main()
} catch (error) {
  console.error(error instanceof PartError ? `\n${error.message}` : error)
  process.exitCode = 1
}
