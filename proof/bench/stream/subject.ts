import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PartError } from '@ars/tools/dev/parts/part'
import type { ServerPart } from '@ars/tools/dev/server'
import type { Stack } from '@ars/tools/dev/stack'
import { forkProgram, nextMessage } from '../../lab/child.ts'
import type { Watched } from '../../lab/measure/cpu.ts'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { withClient } from '../../lab/stack/sql.ts'
import { memoryEnv } from './memory.ts'
import type { FromBare, StreamCaller, StreamSetup, ToBare } from './protocol.ts'

/** The stack, and for each case a gateway and a control that have not served anybody before. */
export type StreamSubject = {
  readonly stack: Stack
  readonly setup: StreamSetup
  /** What runs through all cases. */
  readonly watched: Watched
  /** `env` is added to the gateway's. */
  startServers(env?: NodeJS.ProcessEnv): Promise<StreamServers>
  /** Stops everything and deletes the data. */
  stop(): Promise<void>
}

export type StreamServers = {
  readonly gateway: Pick<ServerPart, 'pid'>
  readonly bare: Bare
  readonly memoryFiles: Record<'service' | 'control', string>
  stop(): Promise<void>
}

export type Bare = {
  pid(): number | undefined
  speak(isOn: boolean): void
  /** Ends all streams. Answers the last number of each run. */
  end(): Promise<number[]>
}

/** A key may hold a thousand streams, so there are several, of different organisations. */
const organisations = 4
const slots = 4_000

export const startStreamSubject = async ({ dir, base }: { dir: string; base: number }): Promise<StreamSubject> => {
  const { stack, dispose } = await openFreshStack({ dir, base, restateSettings: { concurrentInvocations: slots } })
  const env = { ARS_LOG_LEVEL: logLevel, ARS_CELL_SLOTS: String(slots) }
  const worker = stack.server({ role: 'worker', env })
  const stop = async (): Promise<void> => {
    await dispose()
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

const seed = async (stack: Stack): Promise<StreamCaller> => {
  const seeded = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as {
    api_key: string
    agents: { id: string; name: string }[]
  }
  const agent = seeded.agents.find(({ name }) => name === 'test-stream')
  if (!agent) throw new PartError('the seed made no agent test-stream')
  return { authorization: `Bearer ${seeded.api_key}`, agentId: agent.id }
}

/** The limits of a plan are not measured here. */
const raiseLimits = async (stack: Stack): Promise<void> => {
  await withClient(stack.postgres.superuserUrl('ars'), (client) =>
    client.query('update organisations set concurrent_runs = $1', [slots / organisations]),
  )
}

const setupOf = (stack: Stack, callers: StreamCaller[]): StreamSetup => {
  const [h1, h2] = barePorts(stack)
  return {
    kind: 'setup',
    ca: readFileSync(stack.tls.certFile, 'utf8'),
    service: { origin: stack.env('gateway').ARS_PUBLIC_URL ?? '', callers },
    control: { h1: `https://localhost:${h1}`, h2: `https://localhost:${h2}` },
  }
}

/** The first ports of a block are spare. */
const barePorts = ({ ports }: Stack): readonly [number, number] => [ports.base, ports.base + 1]

const startServers = async (stack: Stack, env: NodeJS.ProcessEnv): Promise<StreamServers> => {
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

const startBare = async (stack: Stack, memoryFile: string): Promise<Bare & { child: ChildProcess }> => {
  const [h1, h2] = barePorts(stack)
  const child = forkProgram(new URL('./bare.ts', import.meta.url), {
    ...memoryEnv(memoryFile),
    BARE_H1_PORT: String(h1),
    BARE_H2_PORT: String(h2),
    BARE_CERT_FILE: stack.tls.certFile,
    BARE_KEY_FILE: stack.tls.keyFile,
  })
  await nextMessage<FromBare, 'ready'>(child, 'ready')
  return {
    child,
    pid: () => child.pid,
    speak: (isOn) => void child.send({ kind: 'speak', isOn } satisfies ToBare),
    end: async () => {
      const ended = nextMessage<FromBare, 'ended'>(child, 'ended')
      child.send({ kind: 'end' } satisfies ToBare)
      return (await ended).lastIds
    },
  }
}
