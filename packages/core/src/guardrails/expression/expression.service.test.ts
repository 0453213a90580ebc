import { beforeAll, expect, test } from 'vitest'
import { testThreads } from '../../schemas/schemas.fixture.ts'
import { createExpressions } from './expression.service.ts'

const org = 'an organisation'

const expressions = createExpressions({ threads: testThreads() })
// Threads start with the first task.
beforeAll(async () => void (await expressions.check(org, 'true')))

test('an expression is checked in a thread when it is saved', async () => {
  expect(await expressions.check(org, 'tool.args.amount > 100')).toEqual([])
  expect(await expressions.check(org, 'tool.amount > 100')).toEqual([
    { message: 'There is no field amount. Known: name, args', position: 4 },
  ])
})

test('too many waiting checks are refused for a while', async () => {
  const { check } = createExpressions({ threads: { run: async () => ({ kind: 'busy' }) } })
  await expect(check(org, 'hour > 5')).rejects.toMatchObject({ code: 'unavailable' })
})
