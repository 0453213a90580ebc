import { systemClock } from '@ars/platform/clock'
import { createLog } from '@ars/platform/log/log'
import { createThreadPool, type Task, type TaskOutcome } from '@ars/platform/thread-pool'
import { afterAll, expect, test } from 'vitest'
import { threadProgram } from '../../parts.ts'
import { createExpressions } from './expression.service.ts'
import { someFacts } from './expressions.fixture.ts'

const threads = createThreadPool({
  program: threadProgram,
  clock: systemClock,
  log: createLog({ level: 'silent' }),
  threads: 1,
  budget: { burstMs: 600_000, share: 1 },
  maxWaitMs: 60_000,
})
afterAll(() => threads.close())

const org = 'an organisation'
const expressions = createExpressions({ threads })
const failsWith = (message: RegExp) => ({ kind: 'error', message: expect.stringMatching(message) })

test('an expression is checked when it is saved, and evaluated on the facts, both in a thread', async () => {
  expect(await expressions.check(org, 'tool.args.amount > 100')).toEqual([])
  expect(await expressions.check(org, 'tool.amount > 100')).toEqual([
    { message: 'There is no field amount. Known: name, args', position: 4 },
  ])
  expect(await expressions.evaluate(org, 'tool.args.amount > 100', someFacts)).toEqual({ kind: 'done', value: true })
  expect(await expressions.evaluate(org, 'tool.args.amount > 101', someFacts)).toEqual({ kind: 'done', value: false })
})

test('an expression that is no longer valid or fails is an error', async () => {
  expect(await expressions.evaluate(org, 'tool.nothing == 1', someFacts)).toEqual(failsWith(/not valid/))
  expect(await expressions.evaluate(org, 'tool.args.other == 1', someFacts)).toEqual(failsWith(/a field is missing/))
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(await expressions.evaluate(org, 'content == 1', { ...someFacts, content: deep })).toEqual(
    failsWith(/nested too deeply/),
  )
})

test('only variables that the expression names are handed to the thread', async () => {
  const tasks: Task[] = []
  const run = async (task: Task): Promise<TaskOutcome> => {
    tasks.push(task)
    return { kind: 'busy' }
  }
  const watched = createExpressions({ threads: { run } })
  expect(await watched.evaluate(org, 'hour > 5', { ...someFacts, text: 'x'.repeat(1_000_000) })).toEqual(
    failsWith(/too much to compute/),
  )
  expect(tasks[0]).toMatchObject({ owner: org, payload: { facts: '{"hour":13}' }, maxCpuMs: expect.any(Number) })
  await expect(watched.check(org, 'hour > 5')).rejects.toMatchObject({ code: 'unavailable' })
})
