import { once } from 'node:events'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Part, PartError } from './parts/part.ts'
import { defaultPortBase } from './parts/ports.ts'
import { repositoryDir, type ServerPart } from './server.ts'
import { createStack, type Stack } from './stack.ts'

const help = `pnpm dev: the whole service on this computer, without containers.

Starts Postgres, Redis, Restate and one ars-server with both roles, migrates the database, and makes an
organisation with an API key. Ctrl-C stops everything; a second Ctrl-C kills it. All state lies in one
directory: delete it to begin afresh.

  --port-base <n>   first of the 20 ports that the stack uses; the API listens on <n> + 3
                    (default ${defaultPortBase}, or the environment variable ARS_PORT_BASE)
  --dir <path>      where the state lies (default .dev)
  --help            this text

A second stack beside the first needs both: pnpm dev --dir .dev/second --port-base 8460
`

const commandLine = join(repositoryDir, 'apps/cli/src/main.ts')

interface Seed {
  organisation: unknown
  api_key: string
  agents: { id: string; name: string }[]
}

async function main(): Promise<void> {
  const options = readOptions()
  if (!options) return
  const stack = createStack(options)
  const server = stack.server({ role: 'all' })
  const stopRequest = listenForStop()
  // Whatever is still on its way up ends at once, and its start fails: that is how we get out of `bringUp`.
  stopRequest.addEventListener('abort', () => void stack.stop())
  try {
    const seed = await bringUp(stack, server, stopRequest)
    console.log(welcome(stack, seed))
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

function readOptions(): { dir: string; base: number } | undefined {
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

function readArguments() {
  try {
    return parseArgs({
      options: { 'port-base': { type: 'string' }, dir: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    throw new PartError(`${(error as Error).message}\n\n${help}`, { cause: error })
  }
}

async function bringUp(stack: Stack, server: ServerPart, stopRequest: AbortSignal): Promise<Seed> {
  const { postgres, redis, restate, ports } = stack
  const step = async <T>(name: string, what: string, work: () => Promise<T>): Promise<T> => {
    stopRequest.throwIfAborted()
    const begun = performance.now()
    const result = await work()
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    console.log(`  ✓ ${name.padEnd(9)} ${seconds.padStart(5)} s   ${what}`)
    return result
  }
  await requireStartable([postgres, redis, restate, server])
  const parts = [
    step('postgres', `127.0.0.1:${ports.postgres}`, () => postgres.start()),
    step('redis', `127.0.0.1:${ports.redis}`, () => redis.start()),
    step('restate', `127.0.0.1:${ports.restateIngress}`, () => restate.start()),
  ]
  // All of them, and only then the failure: a part that is still on its way up could not be stopped in good order.
  await Promise.allSettled(parts)
  await Promise.all(parts)
  const note = postgres.note()
  if (note) console.log(`    Note: ${note}.`)
  await step('migrate', 'the schema is up to date', () => stack.command(['migrate']))
  const seed = await step('seed', 'an organisation with a key and test agents', () =>
    stack.command(['admin', 'seed', '--json', '--key-file', join(stack.dir, 'api-key')]),
  )
  await step('server', `gateway and worker, log in ${shortPath(server.logFile)}`, () => server.start())
  return JSON.parse(seed) as Seed
}

/** Says all that is in the way at once, before anything is started. */
async function requireStartable(parts: readonly Part[]): Promise<void> {
  const outcomes = await Promise.allSettled(parts.map((part) => part.check()))
  const obstacles = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason.message)
  if (obstacles.length > 0) throw new PartError(obstacles.join('\n'))
}

/** Aborted by the first Ctrl-C. The second does not wait for good order: our exit takes every child with it. */
function listenForStop(): AbortSignal {
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

function unexpectedEnd(parts: readonly Pick<ServerPart, 'onUnexpectedEnd'>[]): Promise<never> {
  return new Promise((_, reject) => {
    for (const part of parts) part.onUnexpectedEnd((words) => reject(new PartError(words)))
  })
}

function welcome(stack: Stack, { api_key, agents }: Seed): string {
  const { ARS_PUBLIC_URL: url } = stack.env('all')
  const agent = agents.find(({ name }) => name === 'test-echo') ?? agents[0]
  return `
Agent Run Service is up. Ctrl-C stops it.

  Address   ${url}
  API key   ${api_key}

Paste this into another terminal for a first run:

curl --cacert ${quote(stack.tls.certFile)} ${url}/v2/runs \\
  -H 'Authorization: Bearer ${api_key}' -H 'Content-Type: application/json' \\
  -d '{"agent_id":"${agent?.id}","input":{"query":"Hello"}}'

Or with the command line, which remembers where it is logged in:

alias ars=${quote(`node ${quote(commandLine)}`)}
ars login --base-url ${url} --ca-file ${quote(stack.tls.certFile)} < ${quote(join(stack.dir, 'api-key'))}
ars runs create test-echo --input '{"query":"Hello"}'
`
}

function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

function shortPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}

try {
  await main()
} catch (error) {
  console.error(error instanceof PartError ? `\n${error.message}` : error)
  process.exitCode = 1
}
