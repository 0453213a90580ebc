import { type ChildProcess, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '@ars/platform/egress/test/certificate'
import { apiCaller } from '../chaos/api-caller.ts'
import { plantRatedKeys } from '../chaos/rate-keys.ts'
import { findBinary } from '../dev/parts/binary.ts'
import { PartError } from '../dev/parts/part.ts'
import { reapAllBelow } from '../dev/parts/pid-file.ts'
import type { PostgresSettings } from '../dev/parts/postgres-cluster.ts'
import { removePostgresHome } from '../dev/parts/postgres-home.ts'
import { createStack, type Stack } from '../dev/stack.ts'
import { familyOf, type Watched } from './cpu.ts'
import { logLevel } from './subject.ts'
import { type Feeder, openFeeder } from './webhooks-feeder.ts'
import { ask, type ReceiverFigures, startChild } from './webhooks-protocol.ts'

/** A worker with endpoints to send to, the receiver behind them, and the control. */
export interface WebhooksSubject {
  readonly stack: Stack
  readonly feeder: Feeder
  readonly receiver: ChildProcess
  readonly bare: ChildProcess
  readonly watched: Watched
  readonly bodyBytes: number
  stopServers(): Promise<void>
  /** Stops everything and deletes the data. */
  stop(): Promise<void>
}

export interface WebhooksSubjectOptions {
  dir: string
  base: number
  endpoints: number
  isPinned: boolean
  workerEnv?: NodeJS.ProcessEnv
  postgresSettings?: PostgresSettings
}

const secret = `whsec_${randomBytes(32).toString('base64')}`
const serverCore = '0'
const receiverCore = '1'

export async function startWebhooksSubject(options: WebhooksSubjectOptions): Promise<WebhooksSubject> {
  const { dir, base, endpoints, isPinned, workerEnv, postgresSettings } = options
  if (existsSync(dir)) await clear(dir)
  mkdirSync(dir, { recursive: true })
  const stack = createStack({ dir, base, ...(postgresSettings && { postgresSettings }) })
  const hosts = Array.from({ length: endpoints }, (_, n) => `127.0.7.${n + 1}`)
  const urls = hosts.map((host) => `https://${host}:${base}/hook`)
  const tls = writeCertificate(dir, hosts)
  const env = {
    ARS_LOG_LEVEL: logLevel,
    ARS_TEST_STACK: 'true',
    ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
    ARS_EGRESS_ALLOW_PORTS: String(base),
    ARS_EGRESS_CA_FILE: tls.certFile,
  }
  const worker = stack.server({ role: 'worker', env: { ...env, ...workerEnv } })
  const children: ChildProcess[] = []
  let feeder: Feeder | undefined
  const stop = async (): Promise<void> => {
    for (const child of children) if (child.connected) child.disconnect()
    await feeder?.close()
    await stack.stop()
    await clear(dir)
  }
  try {
    await stack.start()
    await stack.command(['migrate'])
    const receiver = await startChild(new URL('./webhooks-receiver.ts', import.meta.url), {
      RECEIVER_HOSTS: hosts.join(),
      RECEIVER_PORT: String(base),
      RECEIVER_SECRET: secret,
      RECEIVER_CERT_FILE: tls.certFile,
      RECEIVER_KEY_FILE: tls.keyFile,
    })
    children.push(receiver)
    await register(stack, urls, env)
    await worker.start()
    feeder = await openFeeder(stack.postgres.superuserUrl('ars'))
    const parcel = await firstParcel(feeder, receiver)
    const bare = await startChild(new URL('./webhooks-bare.ts', import.meta.url), {
      BARE_URLS: urls.join(),
      BARE_CA_FILE: tls.certFile,
      BARE_SECRET: secret,
      BARE_PARCEL: JSON.stringify(parcel),
    })
    children.push(bare)
    const heads = { worker: worker.pid, bare: () => bare.pid, redis: stack.redis.pid, postgres: stack.postgres.pid }
    if (isPinned) {
      for (const pidOf of Object.values(heads)) pin(pidOf(), serverCore)
      pin(receiver.pid, receiverCore)
    }
    return {
      stack,
      feeder,
      receiver,
      bare,
      watched: { ...heads, restate: stack.restate.pid, receiver: () => receiver.pid },
      bodyBytes: Buffer.byteLength(parcel.body),
      stopServers: () => worker.stop(),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Over the API, because secrets are sealed there. The gateway is of no further use. */
async function register(stack: Stack, urls: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const gateway = stack.server({ role: 'gateway', env })
  await gateway.start()
  const caller = apiCaller({ port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile) })
  try {
    for (const [n, url] of urls.entries()) {
      const limits = { requestsPerMinute: 1000, burst: 1000 }
      const [key] = await plantRatedKeys(stack, `customer ${n}`, { plan: 'enterprise', limits })
      const answer = await caller.call({
        method: 'POST',
        path: '/v2/webhooks',
        headers: { authorization: `Bearer ${key?.apiKey}` },
        body: { url, events: ['run.completed'], secret },
      })
      if (answer.status !== 201) throw new PartError(`the webhook was not registered: ${answer.status} ${answer.text}`)
    }
  } finally {
    caller.close()
    await gateway.stop()
  }
}

/** What the worker really sends, for the control to send the same. */
async function firstParcel(feeder: Feeder, receiver: ChildProcess): Promise<{ body: string; headers: object }> {
  const few = feeder.atRate(50)
  await sleep(1000)
  await few.stop()
  await feeder.drained()
  const { posts, body, headers } = await ask<ReceiverFigures>(receiver, { kind: 'read' })
  if (posts === 0) throw new PartError('the worker sent nothing')
  // Those that undici writes by itself, and those that the control makes anew for each.
  const { host, connection, 'content-length': length, ...rest } = headers
  return { body, headers: rest }
}

function writeCertificate(dir: string, hosts: readonly string[]): { certFile: string; keyFile: string } {
  const { cert, key } = makeCertificate(hosts)
  const files = { certFile: join(dir, 'receiver.pem'), keyFile: join(dir, 'receiver-key.pem') }
  writeFileSync(files.certFile, cert)
  writeFileSync(files.keyFile, key, { mode: 0o600 })
  return files
}

/** What it starts later follows. */
function pin(head: number | undefined, core: string): void {
  const taskset = findBinary(['taskset'])
  if (head === undefined || !taskset) return
  for (const pid of familyOf(head)) {
    try {
      execFileSync(taskset, ['-a', '-c', '-p', core, String(pid)], { stdio: 'ignore' })
    } catch {
      // It ended meanwhile, as processes of Postgres do.
    }
  }
}

async function clear(dir: string): Promise<void> {
  await reapAllBelow(dir)
  removePostgresHome(join(dir, 'postgres'))
  rmSync(dir, { recursive: true, force: true })
}
