import { expect, test } from 'vitest'
import { createPasswords, PasswordLineFull, waitingMost } from './password.ts'

test('a password fits its hash and no other; two hashes of one password differ', async () => {
  const passwords = createPasswords()
  const [one, two] = [await passwords.hash('a long secret'), await passwords.hash('a long secret')]
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(two)
  expect(await passwords.verify(one, 'a long secret')).toBe(true)
  expect(await passwords.verify(one, 'a long secreT')).toBe(false)
  expect(await passwords.verify(one, 'a long secret\0')).toBe(false)
})

test('for an account that does not exist a hash of the same cost is computed, and nothing fits', async () => {
  const passwords = createPasswords()
  const order: string[] = []
  await Promise.all([
    passwords.verify(null, '').then((fits) => order.push(`nobody ${fits}`)),
    passwords.verify(null, 'x').then((fits) => order.push(`nobody ${fits}`)),
  ])
  expect(order).toEqual(['nobody false', 'nobody false'])
})

test('one is computed at a time, in the order in which they came, while the event loop goes on', async () => {
  const passwords = createPasswords()
  const ended: number[] = []
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await Promise.all([0, 1, 2, 3].map((at) => passwords.hash('x').then(() => ended.push(at))))
  clearInterval(timer)
  expect(ended).toEqual([0, 1, 2, 3])
  expect(turns).toBeGreaterThan(4)
})

test('beyond so many that wait, the next is turned away at once, and served once there is room', async () => {
  const passwords = createPasswords()
  const served = Array.from({ length: waitingMost + 1 }, () => passwords.verify(null, 'x'))
  expect(passwords.hasRoom()).toBe(false)
  await expect(passwords.verify(null, 'x')).rejects.toBeInstanceOf(PasswordLineFull)
  await Promise.all(served)
  expect(passwords.hasRoom()).toBe(true)
  expect(await passwords.verify(null, 'x')).toBe(false)
})

test('a hash that cannot be read fails alone, and the line goes on', async () => {
  const passwords = createPasswords()
  const [broken, next] = await Promise.allSettled([passwords.verify('nonsense', 'x'), passwords.verify(null, 'x')])
  expect(broken.status).toBe('rejected')
  expect(next).toEqual({ status: 'fulfilled', value: false })
})
