import { asClient } from '@ars/testkit/client'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type App, framesOf, startApp, until } from './app.ts'

/* Each sweep of a worker has a first round soon after the start: so these tests start workers until it has done its work. */

const create = (on: App, agent: string, input: object) =>
  on.call('POST', '/v2/runs', { body: { agent_id: on.tenant.agents[agent], input } })
const read = async (on: App, id: string) => (await on.call('GET', `/v2/runs/${id}`)).body

describe('retention', () => {
  test('deletes streamed deltas a day after the day of writing, and all data of a run after thirty days', async () => {
    const aged = await startApp()
    onTestFinished(() => aged.stop())
    const run = (await create(aged, 'test-stream', { chunks: 5, delay_ms: 0 })).body
    // An open action does not keep its day.
    await create(aged, 'test-approval', {})
    const pieces = () => countRows(aged, 'run_deltas')
    expect(await pieces()).toBeGreaterThan(0)

    await moveDatabaseClock(aged.database.ownerUrl, 24 * 3_600_000)
    await sweepUntil(aged, 'the day before to go', async () => (await oldestDeltas(aged)) >= 0)
    expect(await pieces()).toBeGreaterThan(0)

    await moveDatabaseClock(aged.database.ownerUrl, 2 * 24 * 3_600_000)
    await sweepUntil(aged, 'the pieces to go', async () => (await pieces()) === 0)
    expect(await read(aged, run.id)).toEqual(run)
    const stream = await aged.call('GET', `/v2/runs/${run.id}/stream`)
    expect(stream.text).toContain('event: run.snapshot')
    expect(stream.text).toContain('event: run.completed')

    await moveDatabaseClock(aged.database.ownerUrl, 29 * 24 * 3_600_000)
    const status = async () => (await aged.call('GET', `/v2/runs/${run.id}`)).status
    await sweepUntil(aged, 'the run to go', async () => (await status()) === 404)
    expect((await aged.call('GET', '/v2/runs')).body.data).toEqual([])
  })

  test('a run that waits for six days while days are dropped resumes, streams and completes', async () => {
    const aged = await startApp({ env: { ARS_RETENTION_DAYS: '10' } })
    onTestFinished(() => aged.stop())
    const waiting = (await create(aged, 'test-approval', {})).body
    await create(aged, 'test-stream', { chunks: 5, delay_ms: 0 })
    for (let day = 1; day <= 6; day++) {
      await moveDatabaseClock(aged.database.ownerUrl, 24 * 3_600_000)
      await sweepUntil(aged, `day ${day} to go`, async () => (await oldestDeltas(aged)) >= day - 1)
    }
    expect(await countRows(aged, 'run_deltas')).toBe(0)
    expect((await read(aged, waiting.id)).status).toBe('requires_action')
    const decided = await aged.call('POST', `/v2/runs/${waiting.id}/action`, { body: { type: 'approve' } })
    expect(decided.status).toBe(200)
    const frames = framesOf((await aged.call('GET', `/v2/runs/${waiting.id}/stream`)).text)
    expect(frames.map(({ event }) => event)).toContain('run.output.delta')
    expect(frames.at(-1)?.event).toBe('run.completed')
    expect(await countRows(aged, 'run_deltas')).toBeGreaterThan(0)
  })
})

/** Each sweep of a worker has its first round soon after the start, and the next one in an hour. */
const sweepUntil = (on: App, what: string, isSo: () => Promise<boolean>) =>
  until(what, async () => {
    const worker = await on.join('worker')
    const giveUpAt = Date.now() + 10_000
    try {
      while (!(await isSo())) if (Date.now() > giveUpAt) return false
      return true
    } finally {
      await worker.stop()
    }
  })

/** The oldest day that has a partition of deltas, counted from today by the clock of the computer. */
const oldestDeltas = async (on: App): Promise<number> => {
  const [row] = await on.query<{ days: number }>(
    `select min(first_day) - (now() at time zone 'utc')::date as days from partition_days() where parent = 'run_deltas'`,
  )
  return row?.days ?? Number.NaN
}

const countRows = (on: App, table: string): Promise<number> =>
  asClient(on.database.superuserUrl, async (client) => (await client.query(`select from ${table}`)).rowCount ?? 0)
