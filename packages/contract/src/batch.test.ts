import { expect, test } from 'vitest'
import { CreateBatch } from './batch.ts'

const agent_id = 'ag_01m7st8q6seqns402h956geqth'

test('the items of a batch are checked without a look at their fields, of which a request can have 500,000', () => {
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
  expect(CreateBatch.safeParse({ agent_id, items: [item, item] }).success).toBe(true)
  expect(looks).toBe(0)
})

test.for([['x'], [[]], [null], [1]])('an item that is no JSON object is refused: %j', ([item]) => {
  expect(CreateBatch.safeParse({ agent_id, items: [{}, item] }).error?.issues).toMatchObject([
    { path: ['items', 1], message: 'must be a JSON object' },
  ])
})
