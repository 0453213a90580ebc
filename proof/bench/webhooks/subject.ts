import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCertificate } from '@ars/platform/egress/test/certificate'
import { PartError } from '@ars/tools/dev/parts/part'
import type { PostgresSettings } from '@ars/tools/dev/parts/postgres-cluster'
import type { Stack } from '@ars/tools/dev/stack'
import { startChild } from '../../lab/child.ts'
import { apiCaller } from '../../lab/client/api-caller.ts'
import { pinFamily, type Watched } from '../../lab/measure/cpu.ts'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { makePartitions } from '../../lab/stack/partitions.ts'
import { plantRatedKeys } from '../../lab/stack/rated-keys.ts'
import { type Feeder, openFeeder } from './feeder.ts'
import { ask, type ReceiverMetrics } from './protocol.ts'

/** A worker with endpoints to send to, the receiver behind them, and the control. */
export type WebhooksSubject = {
  readonly stack: Stack
  readonly feeder: Feeder
  readonly receiver: ChildProcess
  readonly bare: ChildProcess
  readonly watched: Watched
  /** The body of a delivery, as the worker sends it. */
  readonly body: string
  readonly urls: readonly string[]
  readonly certFile: string
  stopServers(): Promise<void>
  /** Stops everything and deletes the data. */
  stop(): Promise<void>
}

export type WebhooksSubjectOptions = {
  dir: string
  base: number
  endpoints: number
  isPinned: boolean
  workerEnv?: NodeJS.ProcessEnv
  postgresSettings?: PostgresSettings
}

const secret = `whsec_${randomBytes(32).toString('base64')}`
export const serverCore = '0'
const receiverCore = '1'

export const startWebhooksSubject = async (options: WebhooksSubjectOptions): Promise<WebhooksSubject> => {
  const { dir, base, endpoints, isPinned, workerEnv, postgresSettings } = options
  const { stack, dispose } = await openFreshStack({ dir, base, ...(postgresSettings && { postgresSettings }) })
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
    await dispose()
  }
  try {
    await stack.start()
    await stack.command(['migrate'])
    await makePartitions(stack)
    const receiver = await startChild(new URL('./receiver.ts', import.meta.url), {
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
    const bare = await startChild(new URL('./bare.ts', import.meta.url), {
      BARE_URLS: urls.join(),
      BARE_CA_FILE: tls.certFile,
      BARE_SECRET: secret,
      BARE_PARCEL: JSON.stringify(parcel),
    })
    children.push(bare)
    const heads = { worker: worker.pid, bare: () => bare.pid, redis: stack.redis.pid, postgres: stack.postgres.pid }
    if (isPinned) {
      for (const pidOf of Object.values(heads)) pinFamily(pidOf(), serverCore)
      pinFamily(receiver.pid, receiverCore)
    }
    return {
      stack,
      feeder,
      receiver,
      bare,
      watched: { ...heads, restate: stack.restate.pid, receiver: () => receiver.pid },
      body: parcel.body,
      urls,
      certFile: tls.certFile,
      stopServers: () => worker.stop(),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Over the API, because secrets are sealed there. The gateway is of no further use. */
const register = async (stack: Stack, urls: readonly string[], env: NodeJS.ProcessEnv): Promise<void> => {
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
const firstParcel = async (feeder: Feeder, receiver: ChildProcess): Promise<{ body: string; headers: object }> => {
  const few = feeder.atRate(50)
  await sleep(1000)
  await few.stop()
  await feeder.drained()
  const { posts, body, headers } = await ask<ReceiverMetrics>(receiver, { kind: 'read' })
  if (posts === 0) throw new PartError('the worker sent nothing')
  // Those that undici adds, and those that the control creates for each request.
  const { host, connection, 'content-length': length, ...rest } = headers
  return { body, headers: rest }
}

const writeCertificate = (dir: string, hosts: readonly string[]): { certFile: string; keyFile: string } => {
  const { cert, key } = makeCertificate(hosts)
  const files = { certFile: join(dir, 'receiver.pem'), keyFile: join(dir, 'receiver-key.pem') }
  writeFileSync(files.certFile, cert)
  writeFileSync(files.keyFile, key, { mode: 0o600 })
  return files
}
