import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import type { BareMetrics, ToBare } from './protocol.ts'

// The control: signs the bytes of a real delivery in both forms and sends them, over and over, one request at a time on each
// kept-alive connection. It keeps nothing, looks nothing up and repeats nothing.
const { BARE_URLS: urls, BARE_CA_FILE: caFile, BARE_SECRET: secret, BARE_PARCEL: parcel } = process.env
if (!urls || !caFile || !secret || !parcel) throw new Error('the control was not told what to send')
const { body, headers } = JSON.parse(parcel) as { body: string; headers: Record<string, string> }
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
const connectionsEach = 10

const clients = urls.split(',').flatMap((url) => {
  const { origin, pathname } = new URL(url)
  return Array.from({ length: connectionsEach }, () => ({
    client: new Client(origin, { connect: { ca: readFileSync(caFile) }, keepAliveTimeout: 60_000 }),
    path: pathname,
  }))
})

let isOver = true
let failures: Record<string, number> = {}
let sent = 0

const send = async ({ client, path }: (typeof clients)[number]): Promise<void> => {
  const id = `evt_bare${++sent}`
  const timestamp = String(Math.floor(Date.now() / 1000))
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const answer = await client.request({
    method: 'POST',
    path,
    body,
    headers: {
      ...headers,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${standard}`,
      'x-service-signature': createHmac('sha256', secret ?? '')
        .update(body)
        .digest('hex'),
    },
  })
  await answer.body.dump()
  if (answer.statusCode !== 200) count(String(answer.statusCode))
}

const count = (what: string): void => {
  failures[what] = (failures[what] ?? 0) + 1
}

const sendUntilOver = async (connection: (typeof clients)[number]): Promise<void> => {
  while (!isOver) {
    await send(connection).catch(async (error: unknown) => {
      count(error instanceof Error ? error.message : String(error))
      await sleep(10)
    })
  }
}

let working: Promise<unknown> = Promise.resolve()
process.on('message', async (message: ToBare) => {
  if (message.kind === 'go') {
    isOver = false
    failures = {}
    working = Promise.all(clients.map(sendUntilOver))
    process.send?.('gone')
    return
  }
  isOver = true
  await working
  process.send?.({ failures } satisfies BareMetrics)
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
