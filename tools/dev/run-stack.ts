import { once } from 'node:events'
import { join, relative } from 'node:path'
import { rememberPortBase } from './dev-settings.ts'
import { keepUp } from './keep-up.ts'
import { type Part, PartError } from './parts/part.ts'
import type { ServerPart } from './server.ts'
import type { Stack } from './stack.ts'

/** What `ars-server admin seed` made, at the first start or an earlier one. */
export type Seed = { api_key: string; owner: { email: string; password: string } }

type Step = { name: string; what: string; work: () => Promise<unknown> }

export type RunOptions = {
  stack: Stack
  /** Settings of the server beside those of the stack. */
  env: NodeJS.ProcessEnv
  /** The models that the server has, in words. */
  models: string
  /** Work beside the start of the parts. */
  beside?: readonly Step[]
  /** The words for the person at the keyboard when everything is up. */
  welcome: (seed: Seed) => string
}

// Commands before the start need no models, so that a broken models file fails one step, the one that names it.
const withoutModels = { ARS_MODELS_FILE: undefined }

/** Starts the parts, migrates and fills the database, and serves until a signal. A part that dies is started again. Then stops everything. */
export const runStack = async (options: RunOptions): Promise<void> => {
  const { stack, env, welcome } = options
  const server = stack.server({ role: 'all', env })
  const stopRequest = listenForStop()
  // Whatever is still on its way up ends at once, and its start fails: that is how we get out of `bringUp`.
  stopRequest.addEventListener('abort', () => void stack.stop())
  try {
    const seed = await bringUp(options, server, stopRequest)
    console.log(welcome(seed))
    const parts = [stack.postgres, stack.redis, stack.restate, server]
    await Promise.race([once(stopRequest, 'abort'), keepUp(parts, { stopRequest, say: console.log })])
  } catch (error) {
    if (!stopRequest.aborted) throw error
  } finally {
    await stack.stop()
  }
  console.log('Stopped.')
}

const bringUp = async (
  { stack, models, beside = [] }: RunOptions,
  server: ServerPart,
  stopRequest: AbortSignal,
): Promise<Seed> => {
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
    ...(redis.url() === '' ? [] : [step('redis', `127.0.0.1:${ports.redis}`, () => redis.start())]),
    step('restate', `127.0.0.1:${ports.restateIngress}`, () => restate.start()),
    ...beside.map(({ name, what, work }) => step(name, what, work)),
  ]
  // All of them, and only then the failure: a part that is still on its way up could not be stopped in good order.
  await Promise.allSettled(parts)
  await Promise.all(parts)
  const note = postgres.note()
  if (note) console.log(`    Note: ${note}.`)
  if (redis.url() === '')
    console.log(
      '    Note: there is no Redis. Rate limits are counted in the server, and a second server cannot join it.',
    )
  await step('migrate', 'the schema is up to date', () => stack.command(['migrate'], withoutModels))
  const keep = (option: string, file: string): string[] => [`--${option}`, join(stack.dir, file)]
  const seed = await step('seed', 'an organisation with a key, an owner and test agents', () =>
    stack.command(
      ['admin', 'seed', '--json', ...keep('key-file', 'api-key'), ...keep('owner-file', 'owner.json')],
      withoutModels,
    ),
  )
  rememberPortBase(stack)
  await step('server', `gateway and worker, ${models}, log in ${shortPath(server.logFile)}`, () => server.start())
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

export const shortPath = (path: string): string => {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}

/** Runs the program of a stack. A `PartError` is written for the person at the keyboard. */
export const runProgram = async (main: () => Promise<void>): Promise<void> => {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof PartError ? `\n${error.message}` : error)
    process.exitCode = 1
  }
}
