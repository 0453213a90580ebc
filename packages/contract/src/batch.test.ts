import { expect, test } from 'vitest'
import { CreateBatch } from './batch.ts'

const agent_id = 'ag_01m7st8q6seqns402h956geqth'

test('the inputs of a batch are checked without a look at their fields, of which a request can have 500,000', () => {
  let looks = 0
  const look = <Result>(result: Result): Result => {
    looks++
    return result
  }
  const item = new Proxy(
    { query: 'x' },
    {
      ownKeys: (target) => look(Reflect.ownKeys(target)),
      get: (target, name) => look(Reflect.get(target, name)),
      getOwnPropertyDescriptor: (target, name) => look(Reflect.getOwnPropertyDescriptor(target, name)),
    },
  )
  expect(CreateBatch.safeParse({ agent_id, items: [{ input: item }, { input: item }] }).success).toBe(true)
  expect(looks).toBe(0)
})

test.for([['x'], [[]], [null], [1]])('an input that is no JSON object is refused: %j', ([input]) => {
  expect(CreateBatch.safeParse({ agent_id, items: [{ input: {} }, { input }] }).error?.issues).toMatchObject([
    { path: ['items', 1, 'input'], message: 'must be a JSON object' },
  ])
})

const items = (...ids: (string | undefined)[]) =>
  ids.map((custom_id) => ({ input: {}, ...(custom_id !== undefined && { custom_id }) }))

test('a custom_id is optional, unique in the batch, and short', () => {
  expect(CreateBatch.safeParse({ agent_id, items: items('a', undefined, 'b', undefined) }).success).toBe(true)
  expect(CreateBatch.safeParse({ agent_id, items: items('a', 'b', 'a') }).error?.issues).toMatchObject([
    { path: ['items', 2, 'custom_id'], message: 'must be unique in the batch; an earlier item has "a"' },
  ])
  for (const id of ['', 'x'.repeat(65), 'a b', 'ä']) {
    expect(CreateBatch.safeParse({ agent_id, items: items(id) }).error?.issues[0]?.path).toEqual([
      'items',
      0,
      'custom_id',
    ])
  }
})
