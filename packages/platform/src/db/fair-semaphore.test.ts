import { expect, test } from 'vitest'
import { createFairSemaphore } from './fair-semaphore.ts'

test('a busy organisation waits for itself, and the single request of another is served second', async () => {
  const semaphore = createFairSemaphore(1)
  const served: string[] = []
  expect(semaphore.tryAcquire()).toBe(true)
  const all = [...Array.from({ length: 100 }, () => 'noisy'), 'quiet', 'third'].map(async (org) => {
    expect(await semaphore.acquire(org, 60_000)).toBe(true)
    served.push(org)
    semaphore.release()
  })
  semaphore.release()
  await Promise.all(all)
  expect(served.slice(0, 4)).toEqual(['noisy', 'quiet', 'third', 'noisy'])
  expect(served.length).toBe(102)
  expect(semaphore.tryAcquire()).toBe(true)
  expect(semaphore.tryAcquire()).toBe(false)
})

test('requests of one organisation are served in order', async () => {
  const semaphore = createFairSemaphore(1)
  const served: number[] = []
  semaphore.tryAcquire()
  const all = [1, 2, 3].map(async (n) => {
    await semaphore.acquire('org', 60_000)
    served.push(n)
    semaphore.release()
  })
  semaphore.release()
  await Promise.all(all)
  expect(served).toEqual([1, 2, 3])
})

test('a waiter that times out takes no slot', async () => {
  const semaphore = createFairSemaphore(1)
  semaphore.tryAcquire()
  expect(await semaphore.acquire('org', 1)).toBe(false)
  semaphore.release()
  expect(semaphore.tryAcquire()).toBe(true)
})

test('a new request does not overtake waiters', async () => {
  const semaphore = createFairSemaphore(1)
  semaphore.tryAcquire()
  const waiting = semaphore.acquire('org', 60_000)
  semaphore.release()
  expect(semaphore.tryAcquire()).toBe(false)
  expect(await waiting).toBe(true)
})
