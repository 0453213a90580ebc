import { contract } from '@ars/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp({ role: 'gateway' })
})
afterAll(() => app.stop())

test('[S24] an agent can be read by its id, in the shape of the contract', async () => {
  const { status, body } = await app.call('GET', `/v2/agents/${app.tenant.agents['test-echo']}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ name: 'test-echo', status: 'active', kind: 'llm', config: { model: 'simulated/echo' } })
  expect(contract.agents.get.output.strict().safeParse(body).error).toBeUndefined()
})

test('an agent of another organisation is not there', async () => {
  const other = await app.addTenant()
  const { status, text } = await app.call('GET', `/v2/agents/${other.agents['test-echo']}`)
  expect(status).toBe(404)
  expect(text).not.toContain('simulated/echo')
})

test('[S23] the list of agents is paged by id in both directions, and tells whether there is more', async () => {
  const page = async (query: string) => (await app.call('GET', `/v2/agents${query}`)).body
  const all = await page('')
  const ids = all.data.map(({ id }: { id: string }) => id)
  const first = await page('?limit=4')
  const second = await page(`?limit=4&after=${first.last_id}`)
  const back = await page(`?limit=4&before=${second.first_id}`)
  expect([first.has_more, second.has_more, all.has_more]).toEqual([true, false, false])
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids)
  expect(back.data).toEqual(first.data)
  expect(await page('?status=archived')).toEqual({
    object: 'list',
    data: [],
    has_more: false,
    first_id: null,
    last_id: null,
  })
})

test.each(['limit=0', 'limit=101', 'limit=1e2', 'limit=-1', 'limit=2&limit=3', 'status=gone', 'after=x', 'sort=name'])(
  'a list asked for with ?%s is refused, not guessed',
  async (query) => {
    const { status, body } = await app.call('GET', `/v2/agents?${query}`)
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
  },
)

test('[S23] agents are found by where they come from and by what stands in their name or description', async () => {
  const tenant = await app.addTenant()
  const make = async (name: string, description: string | null): Promise<string> => {
    const body = { name, description, config: { model: 'simulated/echo' } }
    return (await app.call('POST', '/v2/agents/custom', { key: tenant.key, body })).body.id
  }
  const percent = await make('100% Triage', null)
  const under = await make('a_b', 'Sorts MAIL.')
  const plain = await make('axb', 'C:\\mail')
  const found = async (query: string) => {
    const { status, body } = await app.call('GET', `/v2/agents?${query}`, { key: tenant.key })
    expect([query, status]).toEqual([query, 200])
    return body.data.map(({ id }: { id: string }) => id)
  }
  expect(await found('source=custom')).toEqual([plain, under, percent])
  expect(await found('source=catalog&q=TEST-ECHO')).toEqual([tenant.agents['test-echo']])
  expect(await found('q=mail')).toEqual([plain, under])
  expect(await found('q=%25')).toEqual([percent])
  expect(await found('q=a_b')).toEqual([under])
  expect(await found(`q=${encodeURIComponent('C:\\')}`)).toEqual([plain])
  expect(await found(`q=mail&after=${plain}`)).toEqual([under])
  expect(await found('q=nothing')).toEqual([])
})
