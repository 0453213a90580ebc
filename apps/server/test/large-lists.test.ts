import { contract, limits } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'

/* Lists of large items: a page ends early by bytes and says so. */

let app: App
let scripted: string
const runs: string[] = []
// Three fit into a page: the test agent returns what it gets, so a run has twice this size.
const text = 'y'.repeat(450_000)

beforeAll(async () => {
  app = await sharedApp()
  scripted = await app.addAgent({ config: { model: 'simulated/script' } })
  for (let at = 0; at < 5; at++) runs.push(await echo({ query: text, at }))
})
afterAll(() => app.stop())

const echo = async (input: Record<string, unknown>): Promise<string> => {
  const { body } = await app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents['test-echo'], input } })
  expect(body.status).toBe('completed')
  return body.id
}

type Item = { id: string; number: number }

/** Follows all pages, and returns the cursors of each. */
const readPages = async (path: string, { direction = 'after', cursorOf = (item: Item) => item.id } = {}) => {
  const pages: string[][] = []
  for (let cursor = ''; pages.length < 20; ) {
    const { status, text: json, body } = await app.call('GET', `${path}${path.includes('?') ? '&' : '?'}${cursor}`)
    expect(status).toBe(200)
    pages.push(body.data.map(cursorOf))
    if (pages.length > 1) expect(json.length).toBeLessThan(2 * limits.pageBytes)
    if (!body.has_more) return pages
    expect(body.data.length).toBeGreaterThan(0)
    cursor = `${direction}=${direction === 'after' ? body.last_id : body.first_id}`
  }
  throw new Error('The pages do not end')
}

describe('a list of large runs', () => {
  test('ends its pages early by bytes, and the pages contain each run once, in both directions', async () => {
    const newestFirst = runs.toReversed()
    const pages = await readPages('/v2/runs?limit=100')
    expect(pages.flat()).toEqual(newestFirst)
    expect(pages.length).toBeGreaterThan(1)
    const filtered = await readPages('/v2/runs?limit=100&status=completed')
    expect(filtered.flat()).toEqual(newestFirst)
    expect(filtered.length).toBe(pages.length)
    // Backwards from the oldest run: pages of newer and newer runs.
    const first = await app.call('GET', `/v2/runs?limit=100&before=${runs[0]}`)
    expect(first.body.has_more).toBe(true)
    const rest = await app.call('GET', `/v2/runs?limit=100&before=${first.body.first_id}`)
    expect(rest.body.has_more).toBe(false)
    expect([...rest.body.data, ...first.body.data].map(({ id }: Item) => id)).toEqual(newestFirst.slice(0, 4))
  })

  test('as summaries they fit on one page, with previews of 200 characters instead of the payloads', async () => {
    for (const query of ['', '&status=completed']) {
      const { body, text: json } = await app.call('GET', `/v2/runs?view=summary&limit=100${query}`)
      expect(contract.runs.list.output.safeParse(body).error).toBeUndefined()
      expect(body).toMatchObject({ has_more: false, data: { length: 5 } })
      expect(json.length).toBeLessThan(20_000)
      expect(body.data[0].input_preview).toBe(`{"query":"${'y'.repeat(190)}`)
      expect(body.data[0].output_preview).toHaveLength(200)
      expect(body.data[0]).toMatchObject({ input: {}, output: null })
    }
    const asking = await app.call('POST', '/v2/runs', {
      body: { agent_id: app.tenant.agents['test-approval'], input: {} },
    })
    expect(asking.body.status).toBe('requires_action')
    const { body } = await app.call('GET', '/v2/runs?view=summary&limit=1')
    expect(body.data[0]).toMatchObject({ id: asking.body.id, input_preview: '{}', output_preview: null })
    expect(body.data[0].required_actions).toHaveLength(1)
  })
})

describe('GET /runs/{id}/steps', () => {
  test('is paged by step number and by bytes, in both directions', async () => {
    const script = [...Array.from({ length: 6 }, () => ({ text: '{{input.big}}', again: true })), { text: 'done' }]
    const run = { agent_id: scripted, input: { big: 'x'.repeat(500_000), script } }
    const { body } = await app.call('POST', '/v2/runs', { body: run })
    expect(body.status).toBe('completed')
    const path = `/v2/runs/${body.id}/steps`
    const numbers = { cursorOf: ({ number }: Item) => String(number) }
    const pages = await readPages(path, numbers)
    expect(pages.flat()).toEqual(['1', '2', '3', '4', '5', '6', '7'])
    expect(pages.length).toBeGreaterThan(1)
    expect(await readPages(`${path}?limit=2`, numbers)).toEqual([['1', '2'], ['3', '4'], ['5', '6'], ['7']])
    const before = await app.call('GET', `${path}?limit=2&before=5`)
    expect(before.body).toMatchObject({
      first_id: '3',
      last_id: '4',
      has_more: true,
      data: [{ number: 3 }, { number: 4 }],
    })
    const none = await app.call('GET', `${path}?after=7`)
    expect(none.body).toMatchObject({ data: [], has_more: false, first_id: null, last_id: null })
    expect((await app.call('GET', `${path}?after=x`)).status).toBe(400)
  })
})

describe('a list of large agents', () => {
  test('and of their versions ends early by bytes', async () => {
    const tenant = await app.addTenant()
    const config = { model: 'simulated/echo', instructions: 'i'.repeat(450_000) }
    const made: string[] = []
    for (let at = 0; at < 6; at++) {
      const body = { name: `large ${at}`, config }
      const agent = await app.call('POST', '/v2/agents/custom', { key: tenant.key, body })
      expect(agent.status).toBe(201)
      made.unshift(agent.body.id)
    }
    const first = await app.call('GET', '/v2/agents?source=custom&limit=100', { key: tenant.key })
    expect(first.body.has_more).toBe(true)
    const rest = await app.call('GET', `/v2/agents?source=custom&limit=100&after=${first.body.last_id}`, {
      key: tenant.key,
    })
    expect([...first.body.data, ...rest.body.data].map(({ id }: Item) => id)).toEqual(expect.arrayContaining(made))
    for (let at = 0; at < 5; at++) {
      const change = { config: { instructions: `${at}${config.instructions}` } }
      expect((await app.call('PATCH', `/v2/agents/${made[0]}`, { key: tenant.key, body: change })).status).toBe(200)
    }
    const versions = await app.call('GET', `/v2/agents/${made[0]}/versions?limit=100`, { key: tenant.key })
    expect(versions.body.has_more).toBe(true)
    const older = await app.call('GET', `/v2/agents/${made[0]}/versions?limit=100&after=${versions.body.last_id}`, {
      key: tenant.key,
    })
    expect(versions.body.data.length + older.body.data.length).toBe(6)
  })
})
