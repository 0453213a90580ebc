import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { encodeBase58, publicIdentityKey } from './identity-key.ts'

test.each([
  ['48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
  ['0000287fb4cd', '11233QC4'],
  ['00', '1'],
  ['', ''],
])('the bytes %s read %s in base58', (hex, written) => {
  expect(encodeBase58(Buffer.from(hex, 'hex'))).toBe(written)
})

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

test('the public half of a key is written as Restate writes it', () => {
  // RFC 8032, 7.1, test 1. The public half is d75a9801…511a.
  const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex')
  expect(publicIdentityKey(pemOf(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })))).toBe(
    'publickeyv1_FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
  )
})

test('a key of another kind is refused', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  expect(() => publicIdentityKey(pemOf(privateKey))).toThrow('The key is not an Ed25519 key')
})
