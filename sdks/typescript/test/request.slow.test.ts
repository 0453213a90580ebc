import { expect, test } from 'vitest'
import { ConnectionError, TimeoutError } from '../src/index.ts'
import { startService } from './service.ts'

const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => {
      throw new Error('it succeeded')
    },
    (error: unknown) => error,
  )

test('a hanging service is a timeout, retried and then thrown', async () => {
  const { client, seen } = await startService(() => undefined, { timeoutMs: 1_000, maxRetries: 1 })
  const error = await failureOf(client.runs.get('run_1'))
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(seen).toHaveLength(2)
})
