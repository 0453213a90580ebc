import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificate } from '@ars/platform/egress/test/certificate'
import { PartError } from '@ars/tools/dev/parts/part'
import type { Stack } from '@ars/tools/dev/stack'
import { startChild } from '../../../lab/child.ts'
import { apiCaller } from '../../../lab/client/api-caller.ts'
import type { Watched } from '../../../lab/measure/cpu.ts'
import { logLevel, openFreshStack } from '../../../lab/stack/fresh-stack.ts'
import { makePartitions } from '../../../lab/stack/partitions.ts'
import { plantOrganisations, type Seed } from '../organisations.ts'
import type { Target } from '../protocol.ts'
import { serviceTarget } from '../subject.ts'

/** One gateway and one worker, two organisations, and the receiver of the webhooks of the second one. */
export type CapacitySubject = {
  readonly stack: Stack
  /** `delivered`: each run has one webhook delivery. `streamed`: each run is read as a stream. */
  readonly targets: Readonly<Record<'plain' | 'delivered' | 'streamed', Target>>
  readonly watched: Watched
  stop(): Promise<void>
}

/** Of a stream: the parts of the text, and how far they lie apart. Each part is an event, and the run has some more. */
const streamInput = { chunks: 20, chunk_chars: 32, delay_ms: 100 } as const

const receiverHost = '127.0.7.1'
const secret = `whsec_${randomBytes(32).toString('base64')}`

export const startCapacitySubject = async ({ dir, base }: { dir: string; base: number }): Promise<CapacitySubject> => {
  const { stack, dispose } = await openFreshStack({ dir, base })
  const children: ChildProcess[] = []
  const receiverDir = `${dir}-receiver`
  const stop = async (): Promise<void> => {
    for (const child of children) if (child.connected) child.disconnect()
    await dispose()
    rmSync(receiverDir, { recursive: true, force: true })
  }
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    await makePartitions(stack)
    const [, delivered] = (await plantOrganisations(stack, seed, 2)) as [Seed, Seed]
    const tls = writeCertificate(receiverDir)
    const receiver = await startChild(new URL('../../webhooks/receiver.ts', import.meta.url), {
      RECEIVER_HOSTS: receiverHost,
      RECEIVER_PORT: String(base),
      RECEIVER_SECRET: secret,
      RECEIVER_CERT_FILE: tls.certFile,
      RECEIVER_KEY_FILE: tls.keyFile,
    })
    children.push(receiver)
    const env = {
      ARS_LOG_LEVEL: logLevel,
      ARS_TEST_STACK: 'true',
      ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
      ARS_EGRESS_ALLOW_PORTS: String(base),
      ARS_EGRESS_CA_FILE: tls.certFile,
    }
    const [gateway, worker] = [stack.server({ role: 'gateway', env }), stack.server({ role: 'worker', env })]
    await Promise.all([gateway.start(), worker.start()])
    await register(stack, delivered)
    return {
      stack,
      targets: {
        plain: serviceTarget(stack, seed),
        delivered: serviceTarget(stack, delivered),
        streamed: streamTarget(stack, seed),
      },
      watched: {
        gateway: gateway.pid,
        worker: worker.pid,
        postgres: stack.postgres.pid,
        redis: stack.redis.pid,
        restate: stack.restate.pid,
        receiver: () => receiver.pid,
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const streamTarget = (stack: Stack, seed: Seed): Target => {
  const agent = seed.agents.find(({ name }) => name === 'test-stream')
  if (!agent) throw new PartError('the seed made no agent test-stream')
  const target = serviceTarget(stack, seed)
  return {
    ...target,
    path: '/v2/runs/stream',
    headers: { ...target.headers, accept: 'text/event-stream' },
    body: JSON.stringify({ agent_id: agent.id, input: streamInput }),
    expect: 'event: run.completed',
  }
}

/** Over the API, because secrets are sealed there. */
const register = async (stack: Stack, { api_key: key }: Seed): Promise<void> => {
  const caller = apiCaller({ port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile) })
  try {
    const answer = await caller.call({
      method: 'POST',
      path: '/v2/webhooks',
      headers: { authorization: `Bearer ${key}` },
      body: { url: `https://${receiverHost}:${stack.ports.base}/hook`, events: ['run.completed'], secret },
    })
    if (answer.status !== 201) throw new PartError(`the webhook was not registered: ${answer.status} ${answer.text}`)
  } finally {
    caller.close()
  }
}

const writeCertificate = (dir: string): { certFile: string; keyFile: string } => {
  mkdirSync(dir, { recursive: true })
  const { cert, key } = makeCertificate([receiverHost])
  const files = { certFile: join(dir, 'receiver.pem'), keyFile: join(dir, 'receiver-key.pem') }
  writeFileSync(files.certFile, cert)
  writeFileSync(files.keyFile, key, { mode: 0o600 })
  return files
}
