import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { PartError } from '../dev/parts/part.ts'
import { reapAllBelow } from '../dev/parts/pid-file.ts'
import { removePostgresHome } from '../dev/parts/postgres-home.ts'
import type { ServerPart } from '../dev/server.ts'
import { createStack, type Stack } from '../dev/stack.ts'
import type { Watched } from './cpu.ts'
import { memoryEnv } from './stream-memory.ts'
import type { FromBare, StreamCaller, StreamSetup, ToBare } from './stream-protocol.ts'
import { logLevel } from './subject.ts'

/** The stack, and for each case a gateway and a control that have not served anybody before. */
export interface StreamSubject {
  readonly stack: Stack
  readonly setup: StreamSetup
  /** What runs through all cases. */
  readonly watched: Watched
  /** `env` is added to the gateway's. */
  startServers(env?: NodeJS.ProcessEnv): Promise<StreamServers>
  /** Stops everything and deletes the data. */
  stop(): Promise<void>
}

export interface StreamServers {
  readonly gateway: Pick<ServerPart, 'pid'>
  readonly bare: Bare
  readonly memoryFiles: Record<'service' | 'control', string>
  stop(): Promise<void>
}

export interface Bare {
  pid(): number | undefined
  speak(isOn: boolean): void
  /** Ends all streams. Answers the last number of each run. */
  end(): Promise<number[]>
}

/** A key may hold a thousand streams, so there are several, of different organisations. */
const organisations = 4
const slots = 4_000

export async function startStreamSubject({ dir, base }: { dir: string; base: number }): Promise<StreamSubject> {
  if (existsSync(dir)) await clear(dir)
  mkdirSync(dir, { recursive: true })
  const stack = createStack({ dir, base, restateSettings: { concurrentInvocations: slots } })
  const env = { ARS_LOG_LEVEL: logLevel, ARS_CELL_SLOTS: String(slots) }
  const worker = stack.server({ role: 'worker', env })
  const stop = async (): Promise<void> => {
    await stack.stop()
    await clear(dir)
  }
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seeds = await Promise.all(Array.from({ length: organisations }, () => seed(stack)))
    await raiseLimits(stack)
    await worker.start()
    return {
      stack,
      setup: setupOf(stack, seeds),
      watched: {
        worker: worker.pid,
        postgres: stack.postgres.pid,
        redis: stack.redis.pid,
        restate: stack.restate.pid,
      },
      startServers: (more = {}) => startServers(stack, { ...env, ...more }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function seed(stack: Stack): Promise<StreamCaller> {
  const seeded = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as {
    api_key: string
    agents: { id: string; name: string }[]
  }
  const agent = seeded.agents.find(({ name }) => name === 'test-stream')
  if (!agent) throw new PartError('the seed made no agent test-stream')
  return { authorization: `Bearer ${seeded.api_key}`, agentId: agent.id }
}

/** What a plan allows is not what is measured. */
async function raiseLimits(stack: Stack): Promise<void> {
  const client = new pg.Client({ connectionString: stack.postgres.superuserUrl('ars') })
  await client.connect()
  try {
    await client.query('update organisations set concurrent_runs = $1', [slots / organisations])
  } finally {
    await client.end()
  }
}

function setupOf(stack: Stack, callers: StreamCaller[]): StreamSetup {
  const [h1, h2] = barePorts(stack)
  return {
    kind: 'setup',
    ca: readFileSync(stack.tls.certFile, 'utf8'),
    service: { origin: stack.env('gateway').ARS_PUBLIC_URL ?? '', callers },
    control: { h1: `https://localhost:${h1}`, h2: `https://localhost:${h2}` },
  }
}

/** The first ports of a block are spare. */
function barePorts({ ports }: Stack): readonly [number, number] {
  return [ports.base, ports.base + 1]
}

async function startServers(stack: Stack, env: NodeJS.ProcessEnv): Promise<StreamServers> {
  const memoryFiles = { service: join(stack.dir, 'gateway-memory.json'), control: join(stack.dir, 'bare-memory.json') }
  const memory = memoryEnv(memoryFiles.service)
  const options = [memory.NODE_OPTIONS, env.NODE_OPTIONS].filter((one) => one !== undefined).join(' ')
  const gateway = stack.server({ role: 'gateway', env: { ...memory, ...env, NODE_OPTIONS: options } })
  await gateway.start()
  const bare = await startBare(stack, memoryFiles.control)
  return {
    gateway,
    bare,
    memoryFiles,
    stop: async () => {
      bare.child.disconnect()
      await gateway.stop()
    },
  }
}

async function startBare(stack: Stack, memoryFile: string): Promise<Bare & { child: ChildProcess }> {
  const [h1, h2] = barePorts(stack)
  const child = fork(fileURLToPath(new URL('./stream-bare.ts', import.meta.url)), {
    env: {
      ...process.env,
      ...memoryEnv(memoryFile),
      NODE_ENV: 'production',
      BARE_H1_PORT: String(h1),
      BARE_H2_PORT: String(h2),
      BARE_CERT_FILE: stack.tls.certFile,
      BARE_KEY_FILE: stack.tls.keyFile,
    },
  })
  await next(child, 'ready')
  return {
    child,
    pid: () => child.pid,
    speak: (isOn) => void child.send({ kind: 'speak', isOn } satisfies ToBare),
    end: async () => {
      const ended = next(child, 'ended')
      child.send({ kind: 'end' } satisfies ToBare)
      return (await ended).lastIds
    },
  }
}

function next<Kind extends FromBare['kind']>(child: ChildProcess, kind: Kind) {
  return new Promise<Extract<FromBare, { kind: Kind }>>((resolve, reject) => {
    const fail = (): void => reject(new Error('the control ended'))
    const hear = (message: FromBare): void => {
      if (message.kind !== kind) return
      child.off('message', hear)
      child.off('exit', fail)
      resolve(message as Extract<FromBare, { kind: Kind }>)
    }
    child.on('message', hear)
    child.once('exit', fail)
  })
}

async function clear(dir: string): Promise<void> {
  await reapAllBelow(dir)
  removePostgresHome(join(dir, 'postgres'))
  rmSync(dir, { recursive: true, force: true })
}
