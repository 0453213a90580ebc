import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PartError } from '@ars/tools/dev/parts/part'
import type { PostgresSettings } from '@ars/tools/dev/parts/postgres-cluster'
import { type ManagedProcess, managedProcess } from '@ars/tools/dev/parts/process'
import type { Stack } from '@ars/tools/dev/stack'
import type { Watched } from '../../lab/measure/cpu.ts'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { makePartitions } from '../../lab/stack/partitions.ts'
import { bareService } from './bare-service.ts'
import { plantOrganisations, type Seed } from './organisations.ts'
import type { Setup, Target } from './protocol.ts'

/** All that is measured: the service with gateway and worker apart, and the control on the same engine. */
export type Subject = {
  readonly stack: Stack
  readonly targets: Setup['targets']
  readonly watched: Watched
  readonly organisation: string
  stopServers(): Promise<void>
  /** Stops everything and deletes the data. */
  stop(): Promise<void>
}

export type SubjectOptions = {
  dir: string
  base: number
  postgresSettings?: PostgresSettings
  gatewayEnv?: NodeJS.ProcessEnv
  workerEnv?: NodeJS.ProcessEnv
  /** How many organisations the calls are made for. */
  organisations?: number
}

export const startSubject = async (options: SubjectOptions): Promise<Subject> => {
  const { dir, base, postgresSettings } = options
  const { stack, dispose } = await openFreshStack({ dir, base, ...(postgresSettings && { postgresSettings }) })
  const env = { ARS_LOG_LEVEL: logLevel }
  const gateway = stack.server({ role: 'gateway', env: { ...env, ...options.gatewayEnv } })
  const worker = stack.server({ role: 'worker', env: { ...env, ...options.workerEnv } })
  const bare = bareWorker(stack)
  const stopServers = async (): Promise<void> => {
    await Promise.all([gateway.stop(), worker.stop(), bare.stop()])
  }
  const stop = async (): Promise<void> => {
    await bare.stop()
    await dispose()
  }
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    await makePartitions(stack)
    const all = await plantOrganisations(stack, seed, options.organisations ?? 1)
    await Promise.all([gateway.start(), worker.start(), bare.start()])
    await register(stack)
    return {
      stack,
      targets: targetsOf(stack, seed, all),
      watched: {
        gateway: gateway.pid,
        worker: worker.pid,
        postgres: stack.postgres.pid,
        redis: stack.redis.pid,
        restate: stack.restate.pid,
        'bare worker': bare.pid,
      },
      organisation: seed.organisation,
      stopServers,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const headers = { 'content-type': 'application/json', accept: 'application/json' }

const bodyOf = (seed: Seed): string => {
  const agent = seed.agents.find(({ name }) => name === 'test-echo')
  if (!agent) throw new PartError('the seed made no agent test-echo')
  const query = 'Which of our three suppliers can deliver 400 units to Rotterdam before the end of the month?'
  return JSON.stringify({ agent_id: agent.id, input: { query } })
}

export const serviceTarget = (stack: Stack, seed: Seed, all: readonly Seed[] = [seed]): Target => ({
  origins: [stack.env('gateway').ARS_PUBLIC_URL ?? ''],
  path: '/v2/runs',
  headers: { ...headers, authorization: `Bearer ${seed.api_key}` },
  ca: readFileSync(stack.tls.certFile, 'utf8'),
  body: bodyOf(seed),
  ...(all.length > 1 && {
    turns: all.map((each) => ({ authorization: `Bearer ${each.api_key}`, body: bodyOf(each) })),
  }),
  expect: '"status":"completed"',
})

const targetsOf = (stack: Stack, seed: Seed, all: readonly Seed[]): Setup['targets'] => ({
  service: serviceTarget(stack, seed, all),
  control: {
    origins: [stack.restate.ingressUrl],
    path: `/${bareService.name}/${bareService.handler}`,
    headers,
    body: bodyOf(seed),
    expect: '"result":',
  },
})

/** The first port of a block is spare. */
const bareWorker = (stack: Stack): ManagedProcess => {
  const port = stack.ports.base
  return managedProcess({
    name: 'bare-worker',
    dir: join(stack.dir, 'servers'),
    command: process.execPath,
    args: [fileURLToPath(new URL('./bare-worker.ts', import.meta.url))],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      RESTATE_LOGGING: 'WARN',
      BARE_PORT: String(port),
      BARE_IDENTITY_KEY: stack.restate.identityKey,
    },
    ports: [{ port, what: 'bare worker' }],
    isReady: () => listens(port),
  })
}

/** It speaks HTTP/2 only; that something answers at all, if only by hanging up, tells that it is there. */
const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, timeout: 1000 })
      .once('response', () => resolve(true))
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'))
      .once('timeout', () => resolve(false))
  })

const register = async (stack: Stack): Promise<void> => {
  const answer = await fetch(`${stack.restate.adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${stack.ports.base}`, force: true }),
  })
  if (!answer.ok)
    throw new PartError(`the engine refused to register the control: ${answer.status} ${await answer.text()}`)
}
