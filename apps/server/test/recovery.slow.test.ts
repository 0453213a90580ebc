import type { Recovery } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'

// The worker is started and stopped, so it is not part of the app.
let receiver: Receiver
let app: App
beforeAll(async () => {
  receiver = await startReceiver()
  app = await startApp({ env: receiver.env, role: 'gateway' })
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

/** Past events that were never delivered; returns their ids. */
const plantEvents = async (count: number): Promise<string[]> => {
  const rows = await app.query<{ id: string }>(
    `insert into events (id, org_id, type, subject_id, data)
     select new_uuid(), $1, 'agent.updated', gen_random_uuid(), json_build_object('n', n) from generate_series(1, $2) as n
     returning id`,
    [app.tenant.org, count],
  )
  return rows.map(({ id }) => fromUuid('evt', id)).toSorted()
}

/** A webhook that was paused during this many events. */
const place = async (path: string, count: number) => {
  const { id } = await call('POST', '/webhooks', { url: receiver.url(path), events: ['agent.updated'] })
  await call('PATCH', `/webhooks/${id}`, { active: false })
  const events = await plantEvents(count)
  const worker = await app.join('worker')
  await until('the relay', async () => (await app.query('select from events where position is null')).length === 0)
  const { missed_since } = await call('PATCH', `/webhooks/${id}`, { active: true })
  return { id, events, worker, since: missed_since }
}

const acknowledged = (path: string) => new Set(receiver.calls(path).map(({ headers }) => headers['webhook-id']))

test('after an outage all of 500 events arrive under their original ids, although the worker is restarted', async () => {
  const outage = await place('/outage', 500)
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  receiver.on('/outage', (_, response, number) => {
    const answer = () => response.writeHead(204).end()
    if (number > 100) void released.then(answer)
    else answer()
  })
  const { id: recoveryId } = await call('POST', `/webhooks/${outage.id}/recover`, { since: outage.since })
  const seen: Recovery['progress'][] = []
  const look = async (): Promise<Recovery> => {
    const recovery = await call('GET', `/webhooks/${outage.id}/recoveries/${recoveryId}`)
    seen.push(recovery.progress)
    return recovery
  }
  await until('a fifth of them', async () => {
    await look()
    return receiver.calls('/outage').length > 100
  })
  const stopped = outage.worker.stop()
  release()
  await stopped
  expect((await look()).status).toBe('running')
  const worker = await app.join('worker')
  let done = await look()
  // It makes progress, however slow it is.
  while (done.status === 'running') {
    const { delivered } = done.progress
    done = await until('progress', async () => {
      const recovery = await look()
      return (recovery.status === 'completed' || recovery.progress.delivered > delivered) && recovery
    })
  }
  expect(done.progress).toMatchObject({ found: 500, delivered: 500, failed: 0, scanned_until: done.until })
  expect([...acknowledged('/outage')].toSorted()).toEqual(outage.events)
  for (const [n, progress] of seen.entries()) {
    const before = seen[n - 1]
    if (!before) continue
    expect(progress.found >= before.found && progress.delivered >= before.delivered).toBe(true)
    expect((progress.scanned_until ?? '') >= (before.scanned_until ?? '')).toBe(true)
  }
  expect((await call('GET', `/webhooks/${outage.id}/missed`)).data).toEqual([])
  expect(await call('GET', `/webhooks/${outage.id}/recoveries`)).toMatchObject({ data: [done], has_more: false })
  await worker.stop()
})
