import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createRecipients } from './recipient.service.ts'

const keyOf = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) })
const [old, active] = [keyOf('old'), keyOf('active')]
const before = createRecipients({ derive: () => [old] })
const after = createRecipients({ derive: () => [active, old] })

test('a mail that was counted with an earlier key still counts after a rotation', () => {
  const [counted] = before('org_1', 'ada@example.com').address
  const { address, invited } = after('org_1', ' Ada@Example.com ')
  expect(address).toHaveLength(2)
  expect(address).toContainEqual(counted)
  expect(address[0]).not.toEqual(counted)
  expect(after('org_2', 'ada@example.com').address).toEqual(address)
  expect(after('org_2', 'ada@example.com').invited).not.toEqual(invited)
})
