import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { messagesOf, unreadOf } from './run-messages.ts'

let app: App
let scripted: string
beforeAll(async () => {
  app = await startApp()
  scripted = await app.addAgent({ config: { model: 'simulated/script' } })
})
afterAll(() => app.stop())

const play = (script: unknown[]) =>
  app.call('POST', '/v2/runs', {
    body: { agent_id: scripted, input: { script } },
    headers: { prefer: 'respond-async' },
  })

const act = (id: string, body: unknown) => app.call('POST', `/v2/runs/${id}/action`, { body })

const ended = (id: string) =>
  until(`the end of ${id}`, async () => {
    const { body: run } = await app.call('GET', `/v2/runs/${id}`)
    return run.finished_at !== null && run
  })

const replies = (count: number) => Array.from({ length: count }, (_, at) => ({ text: `reply ${at + 1}` }))

describe('a message', () => {
  test('that was accepted is read before the run completes, however close to its end it arrived', async () => {
    const taken: number[] = []
    for (let round = 0; round < 50; round++) {
      // Each run takes a little longer than the one before, so that messages arrive before, during and after its last
      // step.
      const { body } = await play([{ text: 'almost', delay_ms: round * 2 }, ...replies(4)])
      const sent = await Promise.all(
        ['one', 'two', 'three'].map((message) => act(body.id, { type: 'message', payload: { message } })),
      )
      for (const answer of sent) expect(answer.status === 200 || answer.body.error.code === 'run_not_active').toBe(true)
      expect(await ended(body.id)).toMatchObject({ status: 'completed', error: null })
      const accepted = sent.filter(({ status }) => status === 200).length
      expect(await messagesOf(app, body.id)).toHaveLength(accepted)
      expect(await unreadOf(app, body.id)).toBe(0)
      taken.push(accepted)
    }
    // Otherwise the test has not covered its case.
    expect(taken.filter((count) => count > 0).length).toBeGreaterThan(10)
    expect(taken).toHaveLength(50)
  })
})
