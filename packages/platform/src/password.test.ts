import { expect, test } from 'vitest'
import { platformBounds } from './bounds.ts'
import { createPasswords, PasswordLineFull } from './password.ts'

test('a password matches its hash only, and two hashes of one password differ', async () => {
  const passwords = createPasswords()
  const [one, two] = [await passwords.hash('a long secret'), await passwords.hash('a long secret')]
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(two)
  expect(await passwords.verify([one], 'a long secret')).toBe(0)
  expect(await passwords.verify([one], 'a long secreT')).toBe(null)
  expect(await passwords.verify([one], 'a long secret\0')).toBe(null)
})

test('for a missing account a hash of the same cost is computed, and no password matches', async () => {
  const passwords = createPasswords()
  const order: string[] = []
  await Promise.all([
    passwords.verify([], '').then((fits) => order.push(`nobody ${fits}`)),
    passwords.verify([], 'x').then((fits) => order.push(`nobody ${fits}`)),
  ])
  expect(order).toEqual(['nobody null', 'nobody null'])
})

test('of two accounts with one address the password decides, and an account without a password is nobody’s', async () => {
  const passwords = createPasswords()
  const hashes = [await passwords.hash('the first secret'), await passwords.hash('the second secret')]
  expect(await passwords.verify(hashes, 'the first secret')).toBe(0)
  expect(await passwords.verify(hashes, 'the second secret')).toBe(1)
  expect(await passwords.verify(['', hashes[1] as string], 'the second secret')).toBe(1)
  expect(await passwords.verify([''], '')).toBe(null)
})

test('hashes are computed one at a time and in order, without blocking the event loop', async () => {
  const passwords = createPasswords()
  const ended: number[] = []
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await Promise.all([0, 1, 2, 3].map((at) => passwords.hash('x').then(() => ended.push(at))))
  clearInterval(timer)
  expect(ended).toEqual([0, 1, 2, 3])
  expect(turns).toBeGreaterThan(4)
})

test('beyond the queue limit a call is rejected at once, and served when there is capacity', async () => {
  const passwords = createPasswords({ memoryCost: 64, timeCost: 1 })
  const served = Array.from({ length: platformBounds.passwordsWaiting.count + 1 }, () => passwords.verify([], 'x'))
  expect(passwords.hasRoom()).toBe(false)
  await expect(passwords.verify([], 'x')).rejects.toBeInstanceOf(PasswordLineFull)
  await Promise.all(served)
  expect(passwords.hasRoom()).toBe(true)
  expect(await passwords.verify([], 'x')).toBe(null)
})

test('a malformed hash fails alone, and the queue continues', async () => {
  const passwords = createPasswords()
  const [broken, next] = await Promise.allSettled([passwords.verify(['nonsense'], 'x'), passwords.verify([], 'x')])
  expect(broken.status).toBe('rejected')
  expect(next).toEqual({ status: 'fulfilled', value: null })
})
