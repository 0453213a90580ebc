import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PartError } from '@ars/tools/dev/parts/part'
import { managedProcess } from '@ars/tools/dev/parts/process'
import { startDatabase } from '../../../lab/peers/database.ts'
import { installOnce } from '../../../lab/peers/install.ts'
import type { Peer, Product } from './peer.ts'
import type { RecoverySide, RunStatus } from './recovery.ts'
import { parseStepLog } from './step-log.ts'

const wanted = '@dbos-inc/dbos-sdk@5.3.0'
const peerProgram = fileURLToPath(new URL('./dbos/main.mjs', import.meta.url))

/** DBOS: a library that makes functions of a Node program durable on Postgres. The program is a small HTTP server. */
export const dbos: Peer = {
  install: (cache, say) =>
    installOnce({ peer: 'dbos', wanted, cache, say }, async (dir, run) => {
      writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true }))
      await run('npm', 'install', '--no-audit', '--no-fund', '--no-update-notifier', '--save-exact', wanted)
    }),
  start: (place) => startProgram(place),
}

const startProgram = async ({ dir, base, home }: Parameters<Peer['start']>[0]): Promise<Product> => {
  // Node finds the library from the folder of the program.
  const program = join(home, 'main.mjs')
  copyFileSync(peerProgram, program)
  const stepLog = join(dir, 'steps.log')
  const origin = `http://127.0.0.1:${base}`
  const database = await startDatabase(dir, base + 10, 'dbos')
  const server = managedProcess({
    name: 'dbos',
    dir,
    command: process.execPath,
    args: [program],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PEER_DATABASE_URL: database.url,
      PEER_PORT: String(base),
      PEER_STEP_LOG: stepLog,
    },
    ports: [{ port: base, what: 'dbos' }],
    isReady: async () => (await fetch(`${origin}/ok`, { signal: AbortSignal.timeout(2000) })).ok,
  })
  const stop = async (): Promise<void> => {
    await server.stop()
    await database.remove()
  }
  try {
    await server.start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    name: 'DBOS',
    version: wanted,
    settings:
      'a library, not a service: one Node program takes HTTP without a key and executes the workflows; Postgres with our settings. It has no other process, organisations, limits or event stream. Workflows and steps are in Postgres',
    target: {
      origins: [origin],
      path: '/runs/wait',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'bench', delay_ms: 0 }),
      expect: '"2 steps done"',
    },
    watched: { program: server.pid, postgres: database.pid },
    callers: {},
    recovery: {
      ...recoveryOf(origin),
      begunSteps: () => (existsSync(stepLog) ? parseStepLog(readFileSync(stepLog, 'utf8')) : []),
      kill: () => server.kill(),
      restart: () => server.start(),
    },
    stop,
  }
}

const recoveryOf = (origin: string): Pick<RecoverySide, 'killed' | 'prepare' | 'begin' | 'statusOf'> => ({
  killed: 'the program, which is one process',
  prepare: async () => undefined,
  async begin(key, delayMs) {
    const body = JSON.stringify({ key, delay_ms: delayMs })
    const response = await fetch(`${origin}/runs`, { method: 'POST', body })
    if (!response.ok) throw new PartError(`dbos: the program answered ${response.status} ${await response.text()}`)
  },
  async statusOf(key) {
    const response = await fetch(`${origin}/runs/${key}`, { signal: AbortSignal.timeout(5000) })
    const { status } = (await response.json()) as { status: string }
    return statuses[status] ?? 'running'
  },
})

const statuses: Readonly<Record<string, RunStatus>> = {
  SUCCESS: 'completed',
  ERROR: 'failed',
  CANCELLED: 'failed',
  MAX_RECOVERY_ATTEMPTS_EXCEEDED: 'failed',
  UNKNOWN: 'unknown',
}
