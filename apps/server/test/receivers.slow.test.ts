import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { makeCertificate } from '@ars/platform/egress/test/certificate'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plainFits } from '../../../examples/receiver/receiver.ts'
import { type App, freePort, startApp, until } from './app.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'

/*
 * The receivers of the guide, each started as a customer would, against real deliveries of the service. Deliveries are
 * first sent to a receiver of the test, which records their bytes, so that they can be altered and sent again.
 */

const folder = mkdtempSync(join(tmpdir(), 'receivers-'))
const root = fileURLToPath(new URL('../../..', import.meta.url))
const receivers = join(root, 'examples/receiver')
const languages = [
  { name: 'TypeScript', file: 'receiver.ts', fence: 'ts', command: [process.execPath, 'receiver.ts'] },
  { name: 'Python', file: 'receiver.py', fence: 'python', command: ['python3', 'receiver.py'] },
  { name: 'Go', file: 'receiver.go', fence: 'go', command: [join(folder, 'receiver')] },
] as const

// The certificate of all receivers of this file.
const certificate = makeCertificate(['127.0.0.1'])
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
const client = new Agent({ connect: { ca: certificate.cert } })
let app: App
let journal: Receiver
const started: ChildProcess[] = []

beforeAll(async () => {
  writeFileSync(files.cert, certificate.cert)
  writeFileSync(files.key, certificate.key)
  execFileSync('go', ['build', '-o', join(folder, 'receiver'), 'receiver.go'], { cwd: receivers })
  journal = await startReceiver()
  const authorities = join(folder, 'authorities.pem')
  writeFileSync(authorities, readFileSync(journal.env.ARS_EGRESS_CA_FILE ?? '', 'utf8') + certificate.cert)
  app = await startApp({ env: { ...journal.env, ARS_EGRESS_CA_FILE: authorities } })
})
afterAll(async () => {
  for (const receiver of started) receiver.kill()
  await app.stop()
  await journal.close()
  await client.close()
  rmSync(folder, { recursive: true, force: true })
})

type Sent = { headers: Record<string, string>; body: Buffer }

const register = async (url: string): Promise<{ id: string; secret: string }> => {
  const made = await app.call('POST', '/v2/webhooks', { body: { url, events: ['run.completed'] } })
  expect(made.status, made.text).toBe(201)
  return made.body
}

const signedHeaders = ['x-service-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature']

/** The captured deliveries to this webhook for a run with unusual text. */
const catchDelivery = async (id: string, path: string): Promise<Sent> => {
  const before = journal.calls(path).length
  await app.call('PATCH', `/v2/webhooks/${id}`, { body: { url: journal.url(path) } })
  const input = { query: 'café 🚀 \u2028 <b>&</b>', factor: 1.5 }
  await app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents['test-echo'], input } })
  const call = await until('the delivery', async () => journal.calls(path)[before])
  const headers = Object.fromEntries(signedHeaders.map((name) => [name, String(call.headers[name])]))
  return { headers: { ...headers, 'content-type': 'application/json' }, body: call.body }
}

/** A receiver of the guide as a separate process, and its output: one line for each processed event. */
const startReceiverOf = async ({ command: [program, ...args] }: (typeof languages)[number], secret: string) => {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret, TLS_CERT: files.cert, TLS_KEY: files.key }
  const child = spawn(program, args, { cwd: receivers, env, stdio: ['ignore', 'pipe', 'ignore'] })
  started.push(child)
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const url = `https://127.0.0.1:${port}/hooks`
  const post = async ({ headers, body }: Sent): Promise<number> => {
    const answer = await request(url, { method: 'POST', dispatcher: client, headers, body })
    await answer.body.dump()
    return answer.statusCode
  }
  await until('the receiver to listen', async () => {
    const answers = () => post({ headers: {}, body: Buffer.from('{}') }).then(Boolean, () => false)
    return lines.length > 0 && answers()
  })
  return { url, post, acted: () => lines.slice(1) }
}

describe.each(languages)('the receiver in $name', (language) => {
  test('[S64] [S65] accepts real deliveries, processes each once, and refuses altered, replayed and forged ones', async () => {
    const { id, secret } = await register(journal.url(`/${language.file}`))
    const receiver = await startReceiverOf(language, secret)
    const sent = await catchDelivery(id, `/${language.file}`)
    expect(sent.headers['x-service-signature']).toBe(createHmac('sha256', secret).update(sent.body).digest('hex'))

    // From the service, for a run and for a test event.
    await app.call('PATCH', `/v2/webhooks/${id}`, { body: { url: receiver.url } })
    const { body: tested } = await app.call('POST', `/v2/webhooks/${id}/test`, { body: {} })
    await app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents['test-echo'], input: { query: 'Hi' } } })
    await until('both to be acknowledged', async () => {
      const { body } = await app.call('GET', `/v2/webhooks/${id}/deliveries?status=succeeded`)
      return body.data.length === 3 && receiver.acted().length === 2
    })
    expect(receiver.acted().toSorted()).toEqual([
      expect.stringMatching(/^run\.completed evt_/),
      `test ${tested.event_id}`,
    ])

    // Sent again by the service: acknowledged, and not processed a second time.
    const again = await app.call('POST', `/v2/webhooks/${id}/deliveries/${tested.id}/redeliver`)
    await until('the redelivery', async () => {
      const { body } = await app.call('GET', `/v2/webhooks/${id}/deliveries/${again.body.id}`)
      return body.status === 'succeeded'
    })
    expect(receiver.acted()).toHaveLength(2)

    // The captured delivery is new to this receiver; an immediate replay of it is a duplicate.
    expect(await receiver.post(sent)).toBe(204)
    expect(await receiver.post(sent)).toBe(204)
    expect(receiver.acted()).toHaveLength(3)

    // Altered by one byte, at every position; and re-serialised, as by a proxy that parses JSON.
    const altered = Array.from(sent.body, (byte, at) => ({ ...sent, body: Buffer.from(sent.body.with(at, byte ^ 1)) }))
    expect(await countRefused(receiver, altered)).toBe(altered.length)
    const spaced = Buffer.from(JSON.stringify(JSON.parse(sent.body.toString()), null, 1))
    expect(await receiver.post({ ...sent, body: spaced })).toBe(401)

    // T36. Six minutes old; with a current but unsigned time; under another id; without the time headers.
    const old = aged(sent, secret, 360)
    expect(await receiver.post(aged(sent, secret, 240))).toBe(204)
    expect(await receiver.post(old)).toBe(401)
    const replays = [
      { ...old.headers, 'webhook-timestamp': String(nowSeconds()) },
      { ...sent.headers, 'webhook-id': 'evt_01kxxhb1rcfx1bphzr5gdtt0yd' },
      { 'content-type': 'application/json', 'x-service-signature': sent.headers['x-service-signature'] ?? '' },
      { ...sent.headers, 'x-service-signature': createHash('sha256').update(sent.body).digest('hex') },
    ]
    for (const headers of replays) expect(await receiver.post({ ...sent, headers })).toBe(401)
    // The plain recipe alone cannot detect this: that is why there are two.
    expect(plainFits(secret, old.headers, old.body)).toBe(true)
    expect(receiver.acted()).toHaveLength(3)
  })

  test('continues during a secret rotation, with the old secret and then with the new one', async () => {
    const { id, secret: old } = await register(journal.url(`/rotated/${language.file}`))
    const rotated = await app.call('POST', `/v2/webhooks/${id}/rotate-secret`, { body: {} })
    const sent = await catchDelivery(id, `/rotated/${language.file}`)
    expect(sent.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    for (const secret of [old, rotated.body.secret]) {
      const receiver = await startReceiverOf(language, secret)
      expect(await receiver.post(sent)).toBe(204)
    }
  })

  test('[S65] refuses a signature that differs in one character, is truncated or is extended', async () => {
    const { id, secret } = await register(journal.url(`/signatures/${language.file}`))
    const receiver = await startReceiverOf(language, secret)
    const sent = await catchDelivery(id, `/signatures/${language.file}`)
    const forged = ['x-service-signature', 'webhook-signature'].flatMap((name) => {
      const signature = sent.headers[name] ?? ''
      const others = Array.from(signature, (letter, at) =>
        Array.from(signature)
          .with(at, letter === 'a' ? 'b' : 'a')
          .join(''),
      )
      return [...others, signature.slice(0, -1), signature.slice(1), `${signature}0`, ''].map((other) => ({
        ...sent,
        headers: { ...sent.headers, [name]: other },
      }))
    })
    expect(forged.length).toBeGreaterThan(64 + 44)
    expect(await countRefused(receiver, forged)).toBe(forged.length)
    expect(await receiver.post(sent)).toBe(204)
  })
})

/** The number of them that a receiver answers with 401. */
const countRefused = async ({ post }: { post(sent: Sent): Promise<number> }, all: readonly Sent[]): Promise<number> => {
  let refused = 0
  for (let at = 0; at < all.length; at += 10) {
    const statuses = await Promise.all(all.slice(at, at + 10).map(post))
    refused += statuses.filter((status) => status === 401).length
  }
  return refused
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/**
 * The same delivery as the service would have signed it at that age: exactly what an attacker would have captured then.
 */
const aged = ({ headers, body }: Sent, secret: string, seconds: number): Sent => {
  const timestamp = String(nowSeconds() - seconds)
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${headers['webhook-id']}.${timestamp}.`).update(body)
  return {
    headers: {
      ...headers,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature.digest('base64')}`,
    },
    body,
  }
}

test('[S65] a receiver that parses and re-serialises the body cannot verify it', async () => {
  const { id, secret } = await register(journal.url('/reserialised'))
  const { headers, body } = await catchDelivery(id, '/reserialised')
  const digest = headers['x-service-signature']
  const byPython = execFileSync(
    'python3',
    ['-c', 'import json,sys; sys.stdout.write(json.dumps(json.load(sys.stdin)))'],
    {
      input: body,
    },
  )
  const inOtherOrder = JSON.stringify(JSON.parse(body.toString(), reversed))
  for (const written of [byPython, Buffer.from(inOtherOrder)]) {
    expect(JSON.parse(written.toString())).toEqual(JSON.parse(body.toString()))
    expect(createHmac('sha256', secret).update(written).digest('hex')).not.toBe(digest)
  }
  expect(createHmac('sha256', secret).update(body).digest('hex')).toBe(digest)
})

const reversed = (_: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).reverse())
    : value

describe('the shared vectors', () => {
  const file = join(root, 'sdks/conformance/webhook-signatures.json')
  const vectors: unknown[] = JSON.parse(readFileSync(file, 'utf8')).verifying

  test.for([
    ['Python', 'python3', ['receiver_test.py']],
    ['Go', 'go', ['test', '-v', 'receiver.go', 'receiver_test.go']],
  ] as const)('hold in %s', ([, program, args]) => {
    expect(execFileSync(program, args, { cwd: receivers, encoding: 'utf8' })).toContain(
      `${vectors.length} vectors hold`,
    )
  })
})
