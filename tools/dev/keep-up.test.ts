import { expect, test, vi } from 'vitest'
import { type KeptPart, keepUp } from './keep-up.ts'
import { PartError } from './parts/part.ts'

const open = (starts: readonly (Error | undefined)[] = []) => {
  const listeners: ((words: string) => void)[] = []
  const said: string[] = []
  const stop = new AbortController()
  let nowMs = 0
  let started = 0
  const part: KeptPart = {
    name: 'server',
    check: async () => undefined,
    start: async () => {
      const error = starts[started++]
      if (error) throw error
    },
    stop: async () => undefined,
    kill: async () => undefined,
    pid: () => undefined,
    onUnexpectedEnd: (listener) => void listeners.push(listener),
  }
  const ended = keepUp([part], { stopRequest: stop.signal, say: (words) => said.push(words), nowMs: () => nowMs })
  ended.catch(() => undefined)
  const end = async (afterMs = 0): Promise<void> => {
    nowMs += afterMs
    const before = started
    for (const tell of listeners) tell('server ended unexpectedly (SIGKILL).')
    if (!stop.signal.aborted) await vi.waitFor(() => expect([started, said.length]).not.toEqual([before, 0]))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ended, end, said, stop, starts: () => started }
}

test('a part that ends on its own is started again, and the terminal says so', async () => {
  const { end, said, starts } = open()
  await end()
  expect(starts()).toBe(1)
  expect(said).toEqual([
    'server ended unexpectedly (SIGKILL).\nStarting server again.',
    'server is up again after 0.0 s.',
  ])
})

test('a part that ends more than five times in a minute is not started again', async () => {
  const { end, ended, starts } = open()
  for (let n = 0; n < 6; n++) await end(9_000)
  await expect(ended).rejects.toThrow(
    new PartError('server ended unexpectedly (SIGKILL).\nIt ended 6 times in a minute.'),
  )
  expect(starts()).toBe(5)
})

test('a part that ends now and then is started again each time', async () => {
  const { end, starts } = open()
  for (let n = 0; n < 20; n++) await end(13_000)
  expect(starts()).toBe(20)
})

test('a part that does not come back ends the program with its own words', async () => {
  const { end, ended, starts } = open(Array(9).fill(new PartError('server ended before it answered.')))
  await end()
  await expect(ended).rejects.toThrow('server ended before it answered.')
  expect(starts()).toBe(5)
})

test('a start that fails is repeated when the other parts are up', async () => {
  const order: string[] = []
  const database = Promise.withResolvers<void>()
  const partOf = (name: string, start: () => Promise<void>) => {
    const listeners: ((words: string) => void)[] = []
    const part: KeptPart = {
      name,
      check: async () => undefined,
      start,
      stop: async () => undefined,
      kill: async () => undefined,
      pid: () => undefined,
      onUnexpectedEnd: (listener) => void listeners.push(listener),
    }
    const end = (): void => {
      for (const tell of listeners) tell(`${name} ended.`)
    }
    return { part, end }
  }
  let tries = 0
  const server = partOf('server', async () => {
    order.push('server')
    if (tries++ === 0) throw new PartError('the database system is starting up')
  })
  const postgres = partOf('postgres', async () => {
    order.push('postgres')
    await database.promise
    order.push('postgres is up')
  })
  const said: string[] = []
  const watch = { stopRequest: new AbortController().signal, say: (words: string) => void said.push(words) }
  const ended = keepUp([server.part, postgres.part], watch)
  ended.catch((error: Error) => order.push(error.message))
  server.end()
  postgres.end()
  await vi.waitFor(() => expect(said).toContain('server did not start. Trying again.'))
  expect(order).toEqual(['server', 'postgres'])
  database.resolve()
  await vi.waitFor(() => expect(said.filter((words) => words.includes('is up again'))).toHaveLength(2))
  expect(order).toEqual(['server', 'postgres', 'postgres is up', 'server'])
})

test('nothing is started again after Ctrl-C', async () => {
  const { end, said, stop, starts } = open()
  stop.abort()
  await end()
  expect([starts(), said]).toEqual([0, []])
})
