import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PartError } from '@ars/tools/dev/parts/part'
import { type ManagedProcess, managedProcess, type ProcessOptions } from '@ars/tools/dev/parts/process'
import { command } from '@ars/tools/release/command'
import { startDatabase } from '../../../lab/peers/database.ts'
import { installOnce } from '../../../lab/peers/install.ts'
import { withClient } from '../../../lab/stack/sql.ts'
import type { Peer, Product, Say } from './peer.ts'
import type { RecoverySide, RunStatus } from './recovery.ts'
import { parseStepLog } from './step-log.ts'

const version = 'v0.70.0'
const hatchetModule = 'github.com/hatchet-dev/hatchet'
const programs = ['hatchet-migrate', 'hatchet-engine'] as const
const peerProgram = fileURLToPath(new URL('./hatchet/main.go', import.meta.url))

/** Hatchet's engine with Postgres as database and as message queue, and a worker in Go. */
export const hatchet: Peer = {
  install: (cache, say) => install(cache, say),
  start: (place, say) => startAll(place, say),
}

const startAll = async ({ dir, base, home }: Parameters<Peer['start']>[0], say: Say): Promise<Product> => {
  const ports = { caller: base, grpc: base + 1, health: base + 2, api: base + 3 }
  const database = await startDatabase(dir, base + 10, 'hatchet')
  const started: ManagedProcess[] = []
  const stop = async (): Promise<void> => {
    for (const one of started.toReversed()) await one.stop()
    await database.remove()
  }
  const start = async (part: ManagedProcess): Promise<void> => {
    started.push(part)
    await part.start()
  }
  try {
    const stepLog = join(dir, 'steps.log')
    const settings = { ...process.env, ...settingsOf(ports, database.url) }
    const run = (program: string, ...args: string[]): Promise<string> =>
      command(join(home, 'bin', program), args, { cwd: dir, env: settings })
    say('hatchet: migrations and keys')
    await run('hatchet-migrate')
    const made = (await run('peer', 'setup')).trim().split('\n').at(-1) ?? ''
    const { HATCHET_CLIENT_TOKEN, ...keys } = JSON.parse(made) as Record<string, string>
    const peerEnv = {
      ...process.env,
      HATCHET_CLIENT_TOKEN,
      HATCHET_CLIENT_HOST_PORT: `127.0.0.1:${ports.grpc}`,
      HATCHET_CLIENT_TLS_STRATEGY: 'none',
      PEER_STEP_LOG: stepLog,
      PEER_PORT: String(ports.caller),
    }
    const engine = managedProcess({
      name: 'engine',
      dir,
      command: join(home, 'bin/hatchet-engine'),
      args: [],
      env: { ...settings, ...keys },
      ports: [{ port: ports.grpc, what: 'hatchet engine' }],
      isReady: () => isOk(`http://127.0.0.1:${ports.health}/ready`),
    })
    await start(engine)
    const peer = (name: 'worker' | 'caller', readiness: Pick<ProcessOptions, 'prepare' | 'isReady'>): ManagedProcess =>
      managedProcess({ name, dir, command: join(home, 'bin/peer'), args: [name], env: peerEnv, ...readiness })
    const origin = `http://127.0.0.1:${ports.caller}`
    const worker = peer('worker', workerReadiness(database.superuserUrl('hatchet')))
    const caller = peer('caller', { isReady: () => isOk(`${origin}/ok`) })
    await start(worker)
    await start(caller)
    return {
      name: 'Hatchet',
      version: `${hatchetModule} ${version}`,
      settings:
        'engine, Go worker with its default of 100 slots, Postgres with our settings as database and as message queue; gRPC without TLS, a token. The caller is a Go program with the SDK of Hatchet, whose CPU time does not count. Runs and steps are in Postgres',
      target: {
        origins: [origin],
        path: '/runs/wait',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key: 'bench', delay_ms: 0 }),
        expect: '"2 steps done"',
      },
      watched: { engine: engine.pid, worker: worker.pid, postgres: database.pid },
      callers: { caller: caller.pid },
      recovery: {
        ...recoveryOf(origin),
        begunSteps: () => (existsSync(stepLog) ? parseStepLog(readFileSync(stepLog, 'utf8')) : []),
        kill: () => worker.kill(),
        restart: () => worker.start(),
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const install = async (cache: string, say: Say): Promise<string> => {
  const source = readFileSync(peerProgram, 'utf8')
  const wanted = `${hatchetModule} ${version}\n${source}`
  return installOnce({ peer: 'hatchet', wanted, cache, say }, async (dir, run) => {
    writeFileSync(join(dir, 'go.mod'), `module peer\n\ngo 1.24.0\n\nrequire ${hatchetModule} ${version}\n`)
    mkdirSync(join(dir, 'peer'))
    copyFileSync(peerProgram, join(dir, 'peer/main.go'))
    mkdirSync(join(dir, 'bin'))
    await run('go', 'build', '-o', 'bin/', './peer', ...programs.map((program) => `${hatchetModule}/cmd/${program}`))
  })
}

/** What its guide for self-hosting sets, on the loopback interface. The engine must not call home for a security check. */
const settingsOf = (ports: { grpc: number; health: number; api: number }, databaseUrl: string): NodeJS.ProcessEnv => ({
  DATABASE_URL: databaseUrl,
  SERVER_MSGQUEUE_KIND: 'postgres',
  SERVER_GRPC_PORT: String(ports.grpc),
  SERVER_GRPC_BIND_ADDRESS: '127.0.0.1',
  SERVER_GRPC_BROADCAST_ADDRESS: `127.0.0.1:${ports.grpc}`,
  SERVER_GRPC_INSECURE: 'true',
  SERVER_PORT: String(ports.api),
  SERVER_URL: `http://localhost:${ports.api}`,
  SERVER_AUTH_COOKIE_SECRETS: `${randomBytes(8).toString('hex')} ${randomBytes(8).toString('hex')}`,
  SERVER_AUTH_COOKIE_DOMAIN: 'localhost',
  SERVER_AUTH_COOKIE_INSECURE: 'true',
  SERVER_HEALTHCHECK: 'true',
  SERVER_HEALTHCHECK_PORT: String(ports.health),
  SERVER_SECURITY_CHECK_ENABLED: 'false',
  SERVER_LOGGER_LEVEL: 'warn',
  DATABASE_LOGGER_LEVEL: 'warn',
})

const isOk = async (url: string): Promise<boolean> => (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok

/** The worker listens nowhere: the engine knows it when it has registered and sent a sign of life. */
const workerReadiness = (url: string): Pick<ProcessOptions, 'prepare' | 'isReady'> => {
  let startedAt = new Date()
  return {
    prepare: () => {
      startedAt = new Date()
    },
    isReady: () =>
      withClient(url, async (client) => {
        const { rowCount } = await client.query(
          `select from "Worker" where "createdAt" > ($1::timestamptz at time zone 'utc') and "lastHeartbeatAt" is not null`,
          [startedAt],
        )
        return (rowCount ?? 0) > 0
      }),
  }
}

const recoveryOf = (origin: string): Pick<RecoverySide, 'killed' | 'prepare' | 'begin' | 'statusOf'> => ({
  killed: 'the worker',
  prepare: async () => undefined,
  async begin(key, delayMs) {
    const body = JSON.stringify({ key, delay_ms: delayMs })
    const response = await fetch(`${origin}/runs`, { method: 'POST', body })
    if (!response.ok) throw new PartError(`hatchet: the caller answered ${response.status} ${await response.text()}`)
  },
  async statusOf(key): Promise<RunStatus> {
    const text = await (await fetch(`${origin}/runs/${key}`, { signal: AbortSignal.timeout(5000) })).text()
    if (text.startsWith('failed')) return 'failed'
    return text === 'completed' ? 'completed' : 'running'
  },
})
