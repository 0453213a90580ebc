import { afterAll, beforeAll, expect, test } from 'vitest'
import { examine } from '../src/doctor/doctor.ts'
import { type App, startApp } from './app.ts'

// An installation of one process has no Redis.

let app: App
beforeAll(async () => {
  app = await startApp({ env: { ARS_REDIS_URL: '' } })
})
afterAll(() => app.stop())

test('one process without Redis executes runs, notifies itself, counts rate limits, and says what is weaker', async () => {
  const agent_id = app.tenant.agents['test-approval']
  const run = await app.call('POST', '/v2/runs', { body: { agent_id, input: { message: 'Pay?' } } })
  expect(run.body).toMatchObject({ status: 'requires_action' })
  const watching = app.call('GET', `/v2/runs/${run.body.id}/stream`)
  await app.call('POST', `/v2/runs/${run.body.id}/action`, { body: { type: 'approve' } })
  expect((await watching).text).toContain('event: run.completed')

  const { key } = await app.addTenant({ limits: { requestsPerMinute: 1, burst: 3 } })
  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => app.call('GET', '/v2/runs', { key })))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429, 429])

  expect(app.logLines.join('')).toContain('serving without redis')
  expect(await examine({ ...app.env })).toContainEqual({
    what: 'redis',
    found: expect.stringContaining('rate limits are counted in the process'),
    isSkipped: true,
  })
})

test('a second process without Redis does not start, nor does one of the two roles', async () => {
  await expect(app.join('all')).rejects.toThrow('ARS_REDIS_URL: is required, because another process serves')
  await expect(app.join('gateway')).rejects.toThrow('ARS_REDIS_URL: is required, because a gateway and a worker')
})
