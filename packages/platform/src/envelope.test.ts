import { createSecretKey, randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import {
  createKeyring,
  dataKeyIdOf,
  EnvelopeError,
  type Keyring,
  kekIdOf,
  type LocalKek,
  open,
  othersOf,
  parseKek,
  readKekFile,
  seal,
} from './envelope.ts'

const aKek = (id: string): LocalKek => ({ id, key: createSecretKey(randomBytes(32)) })
const january = aKek('2026-01')
const february = aKek('2026-02')
const keyring = createKeyring({ keks: [january], activeKekId: january.id })
const dataKeyOf = async (organisation: string, ring: Keyring = keyring) =>
  ring.unwrap((await ring.newDataKey(organisation)).wrapped, organisation)
const bytes = fc.uint8Array({ maxLength: 2000 })
const sealContext = { organisation: 'org_a', record: 'conn_1' }
const alter = (given: Buffer, at: number, bit: number): Buffer => {
  const altered = Buffer.from(given)
  altered[at] = (altered[at] ?? 0) ^ (1 << bit)
  return altered
}

describe('a sealed secret', () => {
  test('opens in its context, whatever its contents', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.string(), fc.string(), async (secret, organisation, record) => {
        const dataKey = await dataKeyOf(organisation)
        const sealed = seal(dataKey, secret, { organisation, record })
        expect(open(dataKey, sealed, { organisation, record })).toEqual(Buffer.from(secret))
        expect(dataKeyIdOf(sealed)).toBe(dataKey.id)
      }),
    )
  })

  test('does not open for another record, another organisation, or a shifted boundary between both', async () => {
    const dataKey = await dataKeyOf('org_a')
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.string(),
        fc.string(),
        (organisation, record, otherOrganisation, other) => {
          fc.pre(organisation !== otherOrganisation || record !== other)
          const sealed = seal(dataKey, Buffer.from('secret'), { organisation, record })
          expect(() => open(dataKey, sealed, { organisation: otherOrganisation, record: other })).toThrow(EnvelopeError)
        },
      ),
    )
    const sealed = seal(dataKey, Buffer.from('secret'), { organisation: 'a', record: 'bc' })
    expect(() => open(dataKey, sealed, { organisation: 'ab', record: 'c' })).toThrow('another record or organisation')
  })

  test("does not open with another organisation's data key", async () => {
    const sealed = seal(await dataKeyOf('org_a'), Buffer.from('secret'), sealContext)
    const other = await dataKeyOf('org_b')
    expect(() => open(other, sealed, sealContext)).toThrow(/was sealed with the data key/)
    const forged = { ...other, id: dataKeyIdOf(sealed) }
    expect(() => open(forged, sealed, sealContext)).toThrow('does not open')
  })

  test('does not open when any bit of it was altered, or any byte is missing', async () => {
    const dataKey = await dataKeyOf('org_a')
    const sealed = seal(dataKey, Buffer.from('a secret of the customer'), sealContext)
    for (let at = 0; at < sealed.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        expect(() => open(dataKey, alter(sealed, at, bit), sealContext)).toThrow(EnvelopeError)
      }
      expect(() => open(dataKey, sealed.subarray(0, at), sealContext)).toThrow(EnvelopeError)
    }
    expect(() => open(dataKey, Buffer.concat([sealed, Buffer.from([0])]), sealContext)).toThrow(EnvelopeError)
  })

  test('differs each time and does not contain the secret', async () => {
    const dataKey = await dataKeyOf('org_a')
    const secret = Buffer.from('correct horse battery staple')
    const all = Array.from({ length: 200 }, () => seal(dataKey, secret, sealContext))
    expect(new Set(all.map((sealed) => sealed.toString('hex'))).size).toBe(200)
    expect(new Set(all.map((sealed) => sealed.subarray(9, 21).toString('hex'))).size).toBe(200)
    expect(all.some((sealed) => sealed.includes(secret) || sealed.includes('horse'))).toBe(false)
  })
})

describe('a data key', () => {
  test('does not unwrap for another organisation', async () => {
    const { wrapped } = await keyring.newDataKey('org_a')
    await expect(keyring.unwrap(wrapped, 'org_b')).rejects.toThrow(EnvelopeError)
  })

  test('does not unwrap when any bit of it was altered, or any byte is missing', async () => {
    const { wrapped } = await keyring.newDataKey('org_a')
    for (let at = 0; at < wrapped.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        await expect(keyring.unwrap(alter(wrapped, at, bit), 'org_a')).rejects.toThrow(EnvelopeError)
      }
      await expect(keyring.unwrap(wrapped.subarray(0, at), 'org_a')).rejects.toThrow(EnvelopeError)
    }
  })

  test('stays the same when it is rewrapped, so that sealed secrets stay readable', async () => {
    const before = await keyring.newDataKey('org_a')
    const sealed = seal(before.dataKey, Buffer.from('secret'), sealContext)

    const both = createKeyring({ keks: [january, february], activeKekId: february.id })
    const after = await both.rewrap(before.wrapped, 'org_a')
    expect([before.kekId, after.kekId]).toEqual(['2026-01', '2026-02'])
    expect([kekIdOf(before.wrapped), kekIdOf(after.wrapped)]).toEqual(['2026-01', '2026-02'])
    expect(open(await both.unwrap(before.wrapped, 'org_a'), sealed, sealContext).toString()).toBe('secret')

    const onlyNew = createKeyring({ keks: [february], activeKekId: february.id })
    expect(open(await onlyNew.unwrap(after.wrapped, 'org_a'), sealed, sealContext).toString()).toBe('secret')
    await expect(onlyNew.unwrap(before.wrapped, 'org_a')).rejects.toThrow('The key-encryption key 2026-01 is needed')
    await expect(both.rewrap(before.wrapped, 'org_b')).rejects.toThrow(EnvelopeError)
  })

  test('fails with another key of the same name, with a message without secrets', async () => {
    const { wrapped } = await keyring.newDataKey('org_a')
    const impostor = createKeyring({ keks: [aKek(january.id)], activeKekId: january.id })
    let told = ''
    try {
      await impostor.unwrap(wrapped, 'org_a')
    } catch (error) {
      told = inspect(error, { depth: 10 })
    }
    expect(told).toMatch(/does not open with the key-encryption key 2026-01: that is another key/)
    const dataKey = await keyring.unwrap(wrapped, 'org_a')
    for (const key of [january.key, dataKey.key]) {
      expect(told).not.toContain(key.export().toString('base64'))
      expect(told).not.toContain(key.export().toString('hex'))
    }
  })

  test('does not show itself in a log', async () => {
    const dataKey = await dataKeyOf('org_a')
    const shown = `${inspect(dataKey, { depth: 10, showHidden: true })}${JSON.stringify(dataKey)}`
    for (const encoding of ['hex', 'base64', 'latin1'] as const)
      expect(shown).not.toContain(dataKey.key.export().toString(encoding))
  })
})

test('a keyring needs an active key and unique ids', () => {
  expect(() => createKeyring({ keks: [january], activeKekId: 'other' })).toThrow('active key-encryption key other')
  expect(() => createKeyring({ keks: [january, aKek(january.id)], activeKekId: january.id })).toThrow('same id')
})

describe('a key-encryption key', () => {
  const dir = mkdtempSync(join(tmpdir(), 'ars-kek-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  const secret = randomBytes(32).toString('base64')
  // The last character of 32 bytes in base64 has two unused bits that must be zero.
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const following = (letter: string): string => letters[letters.indexOf(letter) + 1] ?? ''
  const write = (text: string, mode: number): string => {
    const path = join(dir, `keys-${randomBytes(4).toString('hex')}`)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }

  test('is parsed from a string', () => {
    const kek = parseKek(`2026-01:${secret}\n`)
    expect([kek.id, 'key' in kek && kek.key.export().toString('base64')]).toEqual(['2026-01', secret])
  })

  test.for([
    ['nothing', ''],
    ['no id', secret],
    ['no key', '2026-01:'],
    ['an id with a space', `a b:${secret}`],
    ['too short', `a:${randomBytes(31).toString('base64')}`],
    ['too long', `a:${randomBytes(33).toString('base64')}`],
    ['hex', `a:${randomBytes(32).toString('hex')}`],
    ['base64 of the URL kind', `a:${Buffer.alloc(32, 0xfb).toString('base64url')}`],
    ['bits beyond the last byte', `a:${secret.slice(0, -2)}${following(secret.at(-2) ?? '')}=`],
    ['a placeholder', `a:${Buffer.alloc(32).toString('base64')}`],
  ] as const)('is rejected without being shown: %s', ([, text]) => {
    const error = (() => {
      try {
        return parseKek(text)
      } catch (reason) {
        return reason
      }
    })()
    expect(error).toBeInstanceOf(EnvelopeError)
    const key = text.split(':')[1] ?? text
    if (key !== '') expect(inspect(error)).not.toContain(key)
  })

  test('is read from a file that only its owner may read', () => {
    const other = randomBytes(32).toString('base64')
    const text = `# the newest first\n2026-02:${other}\n\n2026-01:${secret}\n`
    expect(readKekFile(write(text, 0o600)).map(({ id }) => id)).toEqual(['2026-02', '2026-01'])
    expect(readKekFile(write(text, 0o400))).toHaveLength(2)
    for (const mode of [0o640, 0o604, 0o644, 0o660, 0o777]) {
      expect(() => readKekFile(write(text, mode))).toThrow('set its mode to 0600')
    }
  })

  test('is also read from a file of root that the group of another user may read, as Kubernetes mounts it', () => {
    const isRefused = (mode: number, uid: number, processUid: number) => (mode & othersOf({ uid }, processUid)) !== 0
    expect(isRefused(0o440, 0, 65_532)).toBe(false)
    for (const mode of [0o444, 0o460, 0o450, 0o441]) expect(isRefused(mode, 0, 65_532)).toBe(true)
    expect(isRefused(0o440, 0, 0)).toBe(true)
    expect(isRefused(0o440, 65_532, 65_532)).toBe(true)
  })

  test('is not read from an empty file or a folder, and a link counts like its file', () => {
    expect(() => readKekFile(write('# none\n', 0o600))).toThrow('holds no key-encryption key')
    expect(() => readKekFile(dir)).toThrow('is not a file')
    const link = join(dir, 'link')
    symlinkSync(write(`a:${secret}`, 0o600), link)
    expect(readKekFile(link)).toHaveLength(1)
  })
})
