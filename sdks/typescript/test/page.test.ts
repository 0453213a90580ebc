import { expect, test } from 'vitest'
import { answer, startService } from './service.ts'

const all = Array.from({ length: 7 }, (_, n) => ({ id: `run_${9 - n}` }))

/** Newest first; `after` continues to older items, `before` to newer ones. */
const startList = () =>
  startService(({ url }, response) => {
    const query = new URL(url, 'https://localhost').searchParams
    const [after, before, size] = [query.get('after'), query.get('before'), Number(query.get('limit') ?? 20)]
    const indexOf = (id: string) => all.findIndex((each) => each.id === id)
    const rest = before ? all.slice(0, indexOf(before)) : all.slice(after ? indexOf(after) + 1 : 0)
    const data = before ? rest.slice(-size) : rest.slice(0, size)
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
    answer(response, 200, { object: 'list', data, has_more: rest.length > size, ...ends })
  })

test('awaited, a list is its first page', async () => {
  const { client, seen } = await startList()
  const page = await client.runs.list({ limit: 3 })
  expect(page.data.map(({ id }) => id)).toEqual(['run_9', 'run_8', 'run_7'])
  expect(page).toMatchObject({ hasMore: true, firstId: 'run_9', lastId: 'run_7' })
  expect(seen).toHaveLength(1)
  const next = await page.nextPage()
  expect(next?.data.map(({ id }) => id)).toEqual(['run_6', 'run_5', 'run_4'])
  expect(await (await next?.nextPage())?.nextPage()).toBeNull()
})

test('iterating over a list yields every item of every page, with the filters of the first', async () => {
  const { client, seen } = await startList()
  const ids: string[] = []
  for await (const { id } of client.runs.list({ limit: 3, agent_id: 'ag_1' })) ids.push(id)
  expect(ids).toEqual(all.map(({ id }) => id))
  expect(seen.map(({ url }) => url)).toEqual([
    '/v2/runs?limit=3&agent_id=ag_1',
    '/v2/runs?limit=3&agent_id=ag_1&after=run_7',
    '/v2/runs?limit=3&agent_id=ag_1&after=run_4',
  ])
})

test('pages are requested only as far as the loop goes', async () => {
  const { client, seen } = await startList()
  for await (const { id } of client.runs.list({ limit: 3 })) if (id === 'run_8') break
  expect(seen).toHaveLength(1)
})

test('a list that starts backwards continues backwards', async () => {
  const { client, seen } = await startList()
  const page = await client.runs.list({ limit: 2, before: 'run_5' })
  expect(page.data.map(({ id }) => id)).toEqual(['run_7', 'run_6'])
  expect((await page.nextPage())?.data.map(({ id }) => id)).toEqual(['run_9', 'run_8'])
  expect(seen[1]?.url).toBe('/v2/runs?limit=2&before=run_7')
})
