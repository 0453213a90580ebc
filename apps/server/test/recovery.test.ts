import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, until } from './app.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'

let receiver: Receiver
let app: App
beforeAll(async () => {
  receiver = await startReceiver()
  app = await sharedApp()
})
afterAll(async () => {
  await app.stop()
  await receiver.close()
})

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await app.call(method, `/v2${path}`, body === undefined ? {} : { body })
  expect([path, answer.status < 300, answer.text.slice(0, 200)]).toEqual([path, true, answer.text.slice(0, 200)])
  return answer.body
}

/** Past events that were never delivered. */
const plantEvents = (count: number) =>
  app.query(
    `insert into events (id, org_id, type, subject_id, data)
     select new_uuid(), $1, 'agent.updated', gen_random_uuid(), json_build_object('n', n) from generate_series(1, $2) as n`,
    [app.tenant.org, count],
  )

/** A webhook that was paused during this many events. */
const place = async (path: string, count: number) => {
  const { id } = await call('POST', '/webhooks', { url: receiver.url(path), events: ['agent.updated'] })
  await call('PATCH', `/webhooks/${id}`, { active: false })
  await plantEvents(count)
  await until('the relay', async () => {
    const waiting = await app.query('select from events where org_id = $1 and position is null', [app.tenant.org])
    return waiting.length === 0
  })
  const { missed_since } = await call('PATCH', `/webhooks/${id}`, { active: true })
  return { id, since: missed_since }
}

test('a cancelled recovery sends nothing more', async () => {
  const path = '/cancelled'
  const held: (() => void)[] = []
  receiver.on(path, (_, response) => {
    held.push(() => response.writeHead(204).end())
  })
  const { id, since } = await place(path, 50)
  const { id: recoveryId } = await call('POST', `/webhooks/${id}/recover`, { since })
  const refused = await app.call('POST', `/v2/webhooks/${id}/recover`, { body: { since } })
  expect([refused.status, refused.body.error.code]).toEqual([422, 'recovery_running'])
  // The maximum number in flight.
  await until('ten under way', async () => held.length === 10)
  const cancelled = await call('DELETE', `/webhooks/${id}/recoveries/${recoveryId}`)
  expect(cancelled).toMatchObject({ status: 'cancelled', progress: { found: 50, failed: 40 } })
  for (const answer of held) answer()
  const done = await until('the last of them', async () => {
    const recovery = await call('GET', `/webhooks/${id}/recoveries/${recoveryId}`)
    return recovery.ended_at && recovery
  })
  expect(done).toMatchObject({ status: 'cancelled', progress: { found: 50, delivered: 10, failed: 40 } })
  expect(receiver.calls(path)).toHaveLength(10)
  const { data } = await call('GET', `/webhooks/${id}/deliveries?status=failed&limit=1`)
  expect(data[0]).toMatchObject({ attempts: [], error: 'The recovery was cancelled before this was sent' })
  expect(await call('DELETE', `/webhooks/${id}/recoveries/${recoveryId}`)).toEqual(done)
  expect((await call('GET', `/webhooks/${id}/missed?limit=100`)).data).toHaveLength(40)
  const actions = (await call('GET', `/audit-log?subject=${id}`)).data.map(({ action }: { action: string }) => action)
  expect(actions.slice(0, 2)).toEqual(['webhook.recovery_cancelled', 'webhook.recovery_started'])
})
