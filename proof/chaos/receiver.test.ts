import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { seededRandom } from '../lab/random.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { acknowledge, always, byChance, inTurn } from './receiver-answer.ts'
import type { Endpoint } from './receiver-endpoint.ts'
import type { AnsweredLine, ReceivedLine } from './receiver-journal.ts'

const dir = mkdtempSync(join(tmpdir(), 'ars-receiver-'))
const port = 23_871
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const body = Buffer.from('{"id":"evt_1","type":"run.completed","data":{"id":"run_1"}}')
let receiver: Receiver
let agent: Agent

beforeEach(async () => {
  rmSync(join(dir, 'receiver-journal.jsonl'), { force: true })
  receiver = await startReceiver({ dir, port })
  agent = new Agent({ connect: { ca: readFileSync(receiver.env.ARS_EGRESS_CA_FILE ?? '') } })
})
afterEach(async () => {
  await agent.destroy()
  await receiver.close()
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const post = async ({ url }: Endpoint, { id = 'evt_1', key = secret, signal = AbortSignal.timeout(10_000) } = {}) => {
  const signed = Buffer.concat([Buffer.from(`${id}.1700000000.`), body])
  const standard = createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
    .update(signed)
    .digest('base64')
  const answer = await request(url, {
    dispatcher: agent,
    method: 'POST',
    body,
    signal,
    headers: {
      'x-service-signature': createHmac('sha256', key).update(body).digest('hex'),
      'webhook-id': id,
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${standard}`,
    },
  })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

const journal = async (): Promise<{ came: ReceivedLine[]; went: AnsweredLine[] }> => {
  const lines = await receiver.read()
  return {
    came: lines.filter((line) => line.kind === 'received'),
    went: lines.filter((line) => line.kind === 'answered'),
  }
}

const statuses = async (): Promise<number[]> => (await journal()).went.map(({ status }) => status)

test('a request is on the disk with its bytes and its signatures before it is answered', async () => {
  const endpoint = await receiver.open('one', { secrets: [secret], plan: always(acknowledge) })
  expect((await post(endpoint)).status).toBe(200)
  const { came } = await journal()
  expect(came).toEqual([
    expect.objectContaining({
      url: endpoint.url,
      event_id: 'evt_1',
      type: 'run.completed',
      subject: 'run_1',
      timestamp: 1_700_000_000,
      sha256: createHash('sha256').update(body).digest('hex'),
      bytes: body.length,
      plain_by: [0],
      standard_by: [0],
      signatures: 1,
    }),
  ])
})

test('a signature made with another secret is distinguished from a valid one, in both forms', async () => {
  const endpoint = await receiver.open('one', { secrets: [`${secret.slice(0, -4)}AAA=`], plan: always(acknowledge) })
  await post(endpoint)
  endpoint.know(['whsec_another', secret])
  await post(endpoint)
  const { came } = await journal()
  expect(came.map((line) => [line.plain_by, line.standard_by])).toEqual([
    [[], []],
    [[1], [1]],
  ])
})

test('a script is followed event by event', async () => {
  const plan = inTurn({ kind: 'status', status: 500 }, { kind: 'status', status: 301 }, acknowledge)
  const endpoint = await receiver.open('one', { secrets: [secret], plan })
  const answers = [
    await post(endpoint),
    await post(endpoint),
    await post(endpoint, { id: 'evt_2' }),
    await post(endpoint),
  ]
  expect(answers.map(({ status }) => status)).toEqual([500, 301, 500, 200])
  expect(answers[1]?.headers.location).toMatch(/^https:.*\/elsewhere$/)
})

test('resets, hangs and dribbles are none of them an answer', async () => {
  const reset = await receiver.open('reset', { secrets: [secret], plan: always({ kind: 'reset' }) })
  await expect(post(reset)).rejects.toMatchObject({ code: 'ECONNRESET' })
  const hang = await receiver.open('hang', { secrets: [secret], plan: always({ kind: 'hang' }) })
  const hung = new AbortController()
  const waiting = post(hang, { signal: hung.signal })
  await expect.poll(() => hang.openNow, { timeout: 20_000 }).toBe(1)
  hung.abort()
  await expect(waiting).rejects.toThrow()
  const dribble = await receiver.open('dribble', { secrets: [secret], plan: always({ kind: 'dribble', everyMs: 5 }) })
  const tired = new AbortController()
  const dribbling = post(dribble, { signal: tired.signal })
  await expect.poll(() => dribble.openNow, { timeout: 20_000 }).toBe(1)
  tired.abort()
  await expect(dribbling).rejects.toThrow()
  await expect.poll(statuses, { timeout: 20_000 }).toEqual([0, 0, 0])
  expect([reset.mostOpen, hang.mostOpen, dribble.openNow]).toEqual([1, 1, 0])
})

test('the same seed draws the same answers, in about the shares that were asked for', () => {
  const draw = () => {
    const plan = byChance(seededRandom('9'), [
      [0.2, { kind: 'status', status: 500 }],
      [0.05, { kind: 'hang' }],
    ])
    return Array.from({ length: 2000 }, (_, n) => plan({ eventId: '', nth: n, nthOfEvent: 1 }))
  }
  expect(draw()).toEqual(draw())
  const failed = draw().filter((answer) => answer.kind === 'status' && answer.status === 500).length
  expect(failed).toBeGreaterThan(300)
  expect(failed).toBeLessThan(500)
})
