import { createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { createKeyring } from '../envelope.ts'
import { createLog } from '../log/log.ts'
import { newKek, sealOf } from './message-seal.fixture.ts'
import { createMessageSeal } from './message-seal.ts'

const subject = ['run', 'org-1', 'run-1']
const kek = newKek('2026')

test('a message opens in every process with the same key, for its subject only, and unchanged only', () => {
  const [worker, gateway] = [sealOf([kek]), sealOf([kek])]
  const message = worker.seal(subject, '{"seq":7,"text":"é"}')
  expect(message).not.toContain('seq')
  expect(gateway.open(subject, message)).toBe('{"seq":7,"text":"é"}')
  for (const other of [
    ['run', 'org-1', 'run-2'],
    ['run', 'org-2', 'run-1'],
    ['run', 'org-1', 'run-1', ''],
    ['run-1'],
  ]) {
    expect(gateway.open(other, message)).toBe(null)
  }
  // The last characters of base64 may hold unused bits.
  for (let at = 0; at < message.length - 4; at++) {
    const other = message[at] === 'A' ? 'B' : 'A'
    const altered = message.slice(0, at) + other + message.slice(at + 1)
    expect(gateway.open(subject, altered), altered).toBe(null)
  }
})

test('the same text is never sealed twice in the same way', () => {
  const seal = sealOf([kek])
  expect(seal.seal(subject, 'x')).not.toBe(seal.seal(subject, 'x'))
})

test('during a rotation old and new processes understand each other, and a removed key opens nothing', () => {
  const [old, next] = [newKek('old'), newKek('next')]
  const before = sealOf([old, next])
  const after = sealOf([next, old])
  const done = sealOf([next])
  expect(after.open(subject, before.seal(subject, 'x'))).toBe('x')
  expect(before.open(subject, after.seal(subject, 'y'))).toBe('y')
  expect(done.open(subject, after.seal(subject, 'z'))).toBe('z')
  expect(done.open(subject, before.seal(subject, 'x'))).toBe(null)
})

test('nonsense does not open, is counted, and is logged once a minute without its contents', () => {
  const lines: string[] = []
  const seal = sealOf([kek], createLog({ level: 'warn', write: (line) => lines.push(line) }))
  const nonsense = [
    '',
    '7',
    'null',
    's1.',
    's1.00000000.AAAA',
    `s1.00000000.${'A'.repeat(1_000_000)}`,
    '\0',
    'secret{}',
  ]
  for (const message of nonsense) expect(seal.open(subject, message)).toBe(null)
  expect(seal.refused()).toBe(nonsense.length)
  expect(lines).toHaveLength(1)
  expect(lines.join('')).not.toContain('secret')
})

test('without a key at hand there is no seal', () => {
  const log = createLog({ level: 'silent' })
  const program = { wrap: () => Promise.reject(new Error('no')), unwrap: () => Promise.reject(new Error('no')) }
  const outside = createKeyring({ keks: [{ id: 'kms', program }], activeKekId: 'kms' })
  expect(createMessageSeal(outside.derive('test'), log)).toBe(undefined)
})

test('the key of a subject is that of HKDF with SHA-256, so that older processes understand newer ones', () => {
  const key = createSecretKey(Buffer.alloc(32, 7))
  const seal = createMessageSeal([{ id: '01234567', key }], createLog({ level: 'silent' }))
  const bytes = Buffer.from(String(seal?.seal(subject, 'hello')).slice('s1.01234567.'.length), 'base64')
  const ofSubject = hkdfSync('sha256', key, Buffer.alloc(0), JSON.stringify(['01234567', ...subject]), 32)
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(ofSubject), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(-16))
  expect(Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString()).toBe('hello')
})
