import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createKeyring, EnvelopeError, kekIdOf, open, parseKek, readKekFile, seal } from './envelope.ts'
import { createKeyProgram, KeyServiceUnavailable, keyProgramLimits } from './envelope-program.ts'

const dir = mkdtempSync(join(tmpdir(), 'ars-key-program-'))
afterAll(() => rmSync(dir, { recursive: true }))

let programs = 0
const program = (script: string, mode = 0o700): string => {
  const path = join(dir, `program-${programs++}`)
  writeFileSync(path, script)
  chmodSync(path, mode)
  return path
}

// Acts like a key service: AES-GCM with a private key. Its ledger records the calls.
const keyService = (ledger = join(dir, `ledger-${programs}`)) => {
  const path = program(`#!${process.execPath}
const crypto = require('node:crypto'), fs = require('node:fs')
const key = crypto.createHash('sha256').update('known to ' + process.env.ARS_KEK_ID).digest()
const given = Buffer.from(fs.readFileSync(0, 'utf8'), 'base64')
fs.appendFileSync(${JSON.stringify(ledger)}, JSON.stringify({ verb: process.argv[2], bytes: given.length, env: process.env }) + '\\n')
if (process.argv[2] === 'wrap') {
  const nonce = crypto.randomBytes(12), cipher = crypto.createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([nonce, cipher.update(given), cipher.final(), cipher.getAuthTag()])
  process.stdout.write(sealed.toString('base64') + '\\n')
} else {
  const decipher = crypto.createDecipheriv('aes-256-gcm', key, given.subarray(0, 12))
  decipher.setAuthTag(given.subarray(-16))
  process.stdout.write(Buffer.concat([decipher.update(given.subarray(12, -16)), decipher.final()]).toString('base64'))
}
`)
  const calls = (): { verb: string; bytes: number; env: Record<string, string> }[] =>
    existsSync(ledger)
      ? readFileSync(ledger, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []
  return { path, calls }
}

const environment: Record<string, string | undefined> = { PATH: process.env.PATH }

const keyringOf = (...lines: string[]) => {
  const keks = lines.map((line) => parseKek(line, environment))
  return createKeyring({ keks, activeKekId: keks[0]?.id ?? '' })
}

describe('an external key', () => {
  test('wraps and unwraps data keys for their organisation', async () => {
    const { path, calls } = keyService()
    const keyring = keyringOf(`kms-1:command:${path}`)
    const { kekId, wrapped, dataKey } = await keyring.newDataKey('org_a')
    expect([kekId, kekIdOf(wrapped)]).toEqual(['kms-1', 'kms-1'])
    expect(wrapped.includes(dataKey.key.export())).toBe(false)
    const opened = await keyring.unwrap(wrapped, 'org_a')
    const sealContext = { organisation: 'org_a', record: 'conn_1' }
    expect(open(opened, seal(dataKey, Buffer.from('secret'), sealContext), sealContext).toString()).toBe('secret')
    await expect(keyring.unwrap(wrapped, 'org_b')).rejects.toThrow(EnvelopeError)
    // Wrapped, tested, unwrapped, and unwrapped for the wrong organisation.
    expect(calls().map(({ verb }) => verb)).toEqual(['wrap', 'unwrap', 'unwrap', 'unwrap'])
    expect(calls().map(({ env }) => env.ARS_KEK_ORGANISATION)).toEqual(['org_a', 'org_a', 'org_a', 'org_b'])
    expect(calls()[0]?.bytes).toBe(64)
  })

  test('does not unwrap an altered data key', async () => {
    const keyring = keyringOf(`kms-1:command:${keyService().path}`)
    const { wrapped } = await keyring.newDataKey('org_a')
    for (const at of [0, 1, 2, 8, wrapped.length - 1]) {
      const altered = Buffer.from(wrapped)
      altered[at] = (altered[at] ?? 0) ^ 1
      await expect(keyring.unwrap(altered, 'org_a'), `byte ${at}`).rejects.toThrow(/EnvelopeError|key|bytes|ended/)
    }
  })

  test('replaces a local key, and can be replaced by one', async () => {
    const local = `local:${randomBytes(32).toString('base64')}`
    const outside = `kms-1:command:${keyService().path}`
    const first = await keyringOf(local).newDataKey('org_a')
    const moved = await keyringOf(outside, local).rewrap(first.wrapped, 'org_a')
    expect(moved.kekId).toBe('kms-1')
    const opened = await keyringOf(outside).unwrap(moved.wrapped, 'org_a')
    expect(opened.key.equals(first.dataKey.key)).toBe(true)
    const back = await keyringOf(local, outside).rewrap(moved.wrapped, 'org_a')
    expect((await keyringOf(local).unwrap(back.wrapped, 'org_a')).key.equals(first.dataKey.key)).toBe(true)
  })

  test('a local key with the same name cannot unwrap its data keys, nor vice versa', async () => {
    const local = keyringOf(`k:${randomBytes(32).toString('base64')}`)
    const outside = keyringOf(`k:command:${keyService().path}`)
    await expect(local.unwrap((await outside.newDataKey('a')).wrapped, 'a')).rejects.toThrow('does not open')
    await expect(outside.unwrap((await local.newDataKey('a')).wrapped, 'a')).rejects.toThrow('does not open')
  })

  test('gets none of the settings of the service', async () => {
    const { path, calls } = keyService()
    const settings = {
      ...environment,
      ARS_DATABASE_URL: 'postgres://ars_app:hidden@localhost/ars',
      VENDOR_TOKEN: 'for the program',
    }
    const kek = parseKek(`kms-1:command:${path}`, settings)
    await createKeyring({ keks: [kek], activeKekId: 'kms-1' }).newDataKey('org_a')
    const names = Object.keys(calls()[0]?.env ?? {})
    expect(names.filter((name) => name.startsWith('ARS_')).toSorted()).toEqual(['ARS_KEK_ID', 'ARS_KEK_ORGANISATION'])
    expect(names).toContain('VENDOR_TOKEN')
  })
})

describe('a program that misbehaves', () => {
  const ask = (script: string, limits = {}) =>
    createKeyProgram({ path: program(script), kekId: 'k', environment }, { ...keyProgramLimits, ...limits })

  test.for([
    ['says nothing', '#!/bin/sh\nexit 0', 'did not answer with base64'],
    ['says something else', '#!/bin/sh\necho "Hello there"', 'did not answer with base64'],
    ['says too much', '#!/bin/sh\nhead -c 100000 /dev/zero', 'answered with more than 8192 bytes'],
    [
      'fails',
      '#!/bin/sh\necho "AccessDenied: not for you" >&2; exit 3',
      'ended with code 3: AccessDenied: not for you',
    ],
    ['does not read', '#!/bin/sh\nexec 0<&-; exit 4', 'ended with code 4'],
    ['is no program', '#!/nowhere/interpreter', 'could not be run'],
  ] as const)('%s: the key is unavailable', async ([, script, says]) => {
    const failure = await ask(script)
      .wrap(randomBytes(64), 'org_a')
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(KeyServiceUnavailable)
    expect((failure as Error).message).toContain(says)
  })

  test('hangs: it is killed, and its children do not block the caller (platformBounds.keyProgram)', async () => {
    const hanging = ask('#!/bin/sh\nsleep 5 &\nsleep 5', { timeoutMs: 200 })
    await expect(hanging.unwrap(randomBytes(64), 'org_a')).rejects.toThrow('did not answer within 200 ms')
  })

  test('prints its input: the input is removed from the error', async () => {
    const plain = randomBytes(64)
    const failure = await ask('#!/bin/sh\necho "cannot wrap $(cat)" >&2; exit 1').wrap(plain, 'a').catch(String)
    expect(failure).toContain('cannot wrap [cut]')
    expect(failure).not.toContain(plain.toString('base64').slice(0, 30))
  })

  test('returns a wrong or unwrapped key: the data key is never stored', async () => {
    const garbage = keyringOf(`k:command:${program('#!/bin/sh\nhead -c 96 /dev/urandom | base64 -w0')}`)
    await expect(garbage.newDataKey('org_a')).rejects.toThrow('does not give back what it was given')
    const mirror = keyringOf(`k:command:${program('#!/bin/sh\ncat')}`)
    await expect(mirror.newDataKey('org_a')).rejects.toThrow('does not give back what it was given')
  })

  test('is slow: a few run concurrently, others wait, and too many are rejected (platformBounds.keyProgramCalls, platformBounds.keyProgramWaiting)', async () => {
    const log = join(dir, 'turns')
    const script = `#!/bin/sh\necho in >> ${log}; while [ ! -e ${log}.go ]; do sleep 0.01; done; cat`
    const slow = ask(script, { atOnce: 2, maxWaiting: 3 })
    const asked = Array.from({ length: 6 }, () => slow.wrap(randomBytes(64), 'a'))
    const refused = await Promise.any(
      asked.map((one) =>
        one.then(
          () => Promise.reject(one),
          (error: unknown) => error,
        ),
      ),
    )
    expect(refused).toMatchObject({ message: 'Too many calls are waiting for the key program' })
    await expect.poll(() => (existsSync(log) ? readFileSync(log, 'utf8') : '')).toBe('in\nin\n')
    writeFileSync(`${log}.go`, '')
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })
})

describe('the file of keys', () => {
  const read = (line: string) => {
    const path = join(dir, `keys-${programs++}`)
    writeFileSync(path, line, { mode: 0o600 })
    return readKekFile(path)
  }

  test('can name a program beside keys', () => {
    const { path } = keyService()
    const keks = read(`kms-1:command:${path}\nlocal:${randomBytes(32).toString('base64')}\n`)
    expect(keks.map((kek) => [kek.id, 'program' in kek])).toEqual([
      ['kms-1', true],
      ['local', false],
    ])
  })

  test('is rejected if the program is missing, is not a file, is not executable, or is writable by others', () => {
    expect(() => read('k:command:bin/wrap')).toThrow('must be the whole path of a program')
    expect(() => read('k:command:/nowhere/wrap')).toThrow('/nowhere/wrap cannot be run')
    expect(() => read(`k:command:${dir}`)).toThrow('is not a file')
    expect(() => read(`k:command:${program('#!/bin/sh', 0o722)}`)).toThrow('may be changed by others')
    // Root cannot run a file without the executable bit either.
    expect(() => read(`k:command:${program('#!/bin/sh', 0o600)}`)).toThrow('cannot be run')
  })
})
