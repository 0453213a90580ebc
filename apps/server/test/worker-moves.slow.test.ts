import { openLink } from '@ars/testkit/slow/link'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, freePort, startApp, until } from './app.ts'

/** `pnpm chaos worker-moves --full` does the same with 500. */
const runs = 20
const steps = 6
const maxWaitMs = 30_000

let app: App
beforeAll(async () => {
  app = await startApp({ role: 'gateway' })
})
afterAll(() => app.stop(), 60_000)

/** A worker at its own address, over a link that can be cut: then the engine cannot reach it, as if its host were gone. */
const startRelease = async () => {
  const port = await freePort()
  const link = await openLink(`http://127.0.0.1:${port}`)
  const worker = await app.join('worker', { ARS_WORKER_PORT: String(port), ARS_WORKER_URL: link.url })
  return { link, ...worker }
}

const countHeads = async (condition: string): Promise<number> => {
  const [row] = await app.query<{ n: number }>(`select count(*)::integer as n from run_heads where ${condition}`)
  return row?.n ?? 0
}

test(`${runs} runs in their third step, whose workers are replaced at another address, complete, and none waits longer than 30 s`, async () => {
  const tenant = await app.addTenant({ plan: 'enterprise' })
  const old = await startRelease()
  const body = { agent_id: tenant.agents['test-steps'], input: { steps, delay_ms: 1_000 } }
  const started = await Promise.all(
    Array.from({ length: runs }, async () => {
      const headers = { prefer: 'respond-async' }
      return (await app.call('POST', '/v2/runs', { key: tenant.key, body, headers })).body.id as string
    }),
  )
  await until('every run to be past its second step', async () => (await countHeads('step >= 2')) === runs)
  const next = await startRelease()
  old.link.set('refused')
  await until('every run to end', async () => (await countHeads('true')) === 0)

  for (const id of started) {
    const { body: run } = await app.call('GET', `/v2/runs/${id}`, { key: tenant.key })
    expect(run).toMatchObject({ status: 'completed' })
  }
  const gaps = await app.query<{ gap_ms: number; steps: number }>(
    `select (extract(epoch from max(gap)) * 1000)::double precision as gap_ms, count(*)::integer as steps
       from (select run_id, started_at - lag(started_at) over (partition by run_id order by step) as gap from run_steps) s
      group by run_id`,
  )
  expect(gaps.map(({ steps: each }) => each)).toEqual(gaps.map(() => steps))
  expect(Math.max(...gaps.map(({ gap_ms }) => gap_ms))).toBeLessThan(maxWaitMs)
  await next.stop()
  old.link.close()
  next.link.close()
})
