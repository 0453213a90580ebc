import { expect, test } from 'vitest'
import { freeAfterAttempt } from './attempt-memory.ts'

const attemptOf = () => {
  const controller = new AbortController()
  const uses: string[] = []
  // The SDK tells the attempt of the closed connection in the next phase.
  controller.signal.addEventListener('abort', () => setImmediate(() => uses.push('closed')))
  const context = {
    coreVm: { free: () => uses.push('freed') },
    request: () => ({ attemptCompletedSignal: controller.signal }),
  }
  return { context, uses, close: () => controller.abort() }
}

test('the memory is freed after the connection is closed and the SDK has used it for the last time', async () => {
  const { context, uses, close } = attemptOf()
  freeAfterAttempt(context)
  await new Promise((resolve) => setImmediate(resolve))
  expect(uses).toEqual([])
  close()
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  expect(uses).toEqual(['closed', 'freed'])
})

test('the memory of an attempt whose connection closed first is left to the garbage collector', async () => {
  const { context, uses, close } = attemptOf()
  close()
  freeAfterAttempt(context)
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  expect(uses).toEqual(['closed'])
})
