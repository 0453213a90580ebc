import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { releaseFile } from '@ars/platform/release-files'
import { afterAll, expect, test } from 'vitest'
import { init, places, publicUrlOf } from './init.ts'
import { openKeyring } from './keyring.ts'

const home = mkdtempSync(join(tmpdir(), 'ars-init-'))
afterAll(() => rmSync(home, { recursive: true }))
const make = (name: string, place: (typeof places)[number]): string => {
  const folder = join(home, name)
  init({ folder, place, publicUrl: 'https://agents.example.com', version: '2.4.0' })
  return folder
}

test.for(places)(
  'the folder for %s holds settings that the service takes, and secrets for its owner alone',
  (place) => {
    const folder = make(place, place)
    const text = readFileSync(join(folder, 'settings.env'), 'utf8')
      .replaceAll('/etc/ars/', `${folder}/`)
      .replaceAll('/run/', `${folder}/`)
    const config = parseConfig(Config, parseEnv(text))
    expect(openKeyring(config, {})).toBeDefined()
    expect(config.publicUrl).toBe('https://agents.example.com')
    const certificate = new X509Certificate(readFileSync(config.tlsCertFile))
    expect(certificate.checkPrivateKey(createPrivateKey(readFileSync(config.tlsKeyFile)))).toBe(true)
    expect(certificate.checkHost('agents.example.com')).toBe('agents.example.com')
    const secrets = readdirSync(join(folder, 'secrets')).map((name) => join(folder, 'secrets', name))
    for (const file of [...secrets, config.tlsKeyFile, join(folder, 'owner.json')])
      expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600])
  },
)

test('with isOnce, a folder that is complete stays as it is', () => {
  const folder = make('once', 'systemd')
  const key = readFileSync(join(folder, 'secrets/kek'), 'utf8')
  const again = { folder, place: 'systemd', publicUrl: 'https://other.example.com', version: '2.5.0' } as const
  expect(init({ ...again, isOnce: true })).toBe(0)
  expect(readFileSync(join(folder, 'secrets/kek'), 'utf8')).toBe(key)
  expect(() => init(again)).toThrow('is not empty')
})

test('an address of this machine is served to this machine only', () => {
  const [local, open] = ['https://localhost:9443', 'https://agents.example.com'].map((publicUrl, at) =>
    places.map((place) => {
      const folder = join(home, `${place}-${at}`)
      init({ folder, place, publicUrl, version: '2.4.0' })
      return readFileSync(join(folder, place === 'compose' ? '.env' : 'settings.env'), 'utf8')
    }),
  )
  expect(local?.[0]).toContain('ARS_ADDRESS=127.0.0.1\nARS_PORT=9443\n')
  expect(local?.[1]).toContain('ARS_HTTP_HOST=127.0.0.1\nARS_HTTP_PORT=9443\n')
  expect(open?.[0]).toContain('ARS_ADDRESS=0.0.0.0\nARS_PORT=443\n')
  expect(open?.[1]).toContain('ARS_HTTP_PORT=443\n')
  expect(open?.[1]).not.toContain('ARS_HTTP_HOST')
})

test('the folder holds every file that the units of systemd and the compose file name', () => {
  const units = releaseFile('deploy/systemd')
  const texts = readdirSync(units).map((name) => readFileSync(join(units, name), 'utf8'))
  const named = texts.flatMap((text) => [...text.matchAll(/\/etc\/ars\/(\S+)/g)].map(([, name = '']) => name))
  const systemd = make('units', 'systemd')
  for (const name of named.flatMap((each) => ['gateway', 'worker'].map((role) => each.replace('%i', role))))
    expect([name, existsSync(join(systemd, name))]).toEqual([name, true])
  const compose = readFileSync(releaseFile('deploy/compose/compose.yaml'), 'utf8')
  const parts = [...compose.matchAll(/"\.\/([^:"]+):|{ file: ([\w./-]+)|env_file: \[([\w.]+)\]/g)]
  const folder = make('parts', 'compose')
  expect(parts.length).toBeGreaterThan(20)
  for (const [, mounted, secret, settings] of parts) {
    const name = mounted ?? secret ?? settings ?? ''
    expect([name, existsSync(join(folder, name))]).toEqual([name, true])
  }
})

test('a process of systemd reads the secrets that it needs and no other one, and a gateway changes no other program', () => {
  const folder = make('hidden', 'systemd')
  const gateway = ['database-url', 'database-auth-url', 'database-feed-url', 'redis-url', 'kek']
  const needed: Record<string, readonly string[]> = {
    'ars-gateway@.service': gateway,
    'ars-worker@.service': [...gateway, 'database-system-url'],
    'ars-migrate.service': ['database-owner-url'],
    'ars-backup.service': ['database-backup-url'],
    'restate.service': ['identity.pem'],
  }
  const units = releaseFile('deploy/systemd')
  expect(readdirSync(units).toSorted()).toEqual(Object.keys(needed).toSorted())
  const caches = Object.entries(needed).map(([name, own]) => {
    const text = readFileSync(join(units, name), 'utf8')
    const hidden = [...text.matchAll(/^InaccessiblePaths=(.*)$/gm)].flatMap(([, paths = '']) => paths.split(' '))
    const others = readdirSync(join(folder, 'secrets')).filter((secret) => !own.includes(secret))
    const asked = [...others.map((secret) => `secrets/${secret}`), 'owner.json'].map((file) => `-/etc/ars/${file}`)
    // A back-up has the data of all organisations.
    if (name !== 'ars-backup.service') asked.push('-/var/lib/ars-backups')
    expect([name, hidden.filter((path) => !path.endsWith('/tls/key.pem')).toSorted()]).toEqual([name, asked.toSorted()])
    return /^CacheDirectory=(.*)$/m.exec(text)?.[1]
  })
  expect(caches).toEqual(['ars-gateway', 'ars', 'ars-migrate', 'ars-backup', undefined])
})

test('two gateways and two workers of one machine have different ports for their metrics, and a gateway may use port 443', () => {
  const [gateway, worker] = ['gateway', 'worker'].map((role) =>
    readFileSync(releaseFile(`deploy/systemd/ars-${role}@.service`), 'utf8'),
  )
  const portsOf = (unit = '') => /^Environment=ARS_METRICS_PORT=(\d+)%i$/m.exec(unit)?.[1]
  expect([portsOf(gateway), portsOf(worker)]).toEqual(['946', '947'])
  expect(gateway).toMatch(/^AmbientCapabilities=CAP_NET_BIND_SERVICE$/m)
  expect(worker).toMatch(/^CapabilityBoundingSet=$/m)
})

test('the log of every container is bounded', () => {
  const compose = readFileSync(releaseFile('deploy/compose/compose.yaml'), 'utf8')
  const part = /^x-part: &part\n((?: {2}.*\n)+)/m.exec(compose)?.[1] ?? ''
  expect(part).toMatch(/logging: .*max-size: \d+m, max-file: "\d+"/)
})

test('every process has a limit of memory and CPU, whatever its customers ask for', () => {
  const units = releaseFile('deploy/systemd')
  for (const name of readdirSync(units)) {
    const text = readFileSync(join(units, name), 'utf8')
    for (const limit of [/^MemoryMax=\d+[MG]$/m, /^CPUQuota=\d+%$/m, /^TasksMax=\d+$/m])
      expect([name, text]).toEqual([name, expect.stringMatching(limit)])
  }
  // Every service merges this part.
  const compose = readFileSync(releaseFile('deploy/compose/compose.yaml'), 'utf8')
  const part = /^x-part: &part\n((?: {2}.*\n)+)/m.exec(compose)?.[1] ?? ''
  for (const limit of ['mem_limit:', 'cpus:', 'pids_limit:']) expect(part).toContain(limit)
  const services = /^services:\n([\s\S]*?)^secrets:/m.exec(compose)?.[1] ?? ''
  const all = [...services.matchAll(/^ {2}([\w-]+):(.*)\n(?=(.*)\n)/gm)]
  expect(all.length).toBeGreaterThanOrEqual(11)
  for (const [, name, same = '', first = ''] of all)
    expect([name, `${same}${first}`]).toEqual([name, expect.stringMatching(/\*(part|server|worker|gateway)/)])
  const folder = make('limits', 'compose')
  const { ARS_CPUS } = parseEnv(readFileSync(join(folder, '.env'), 'utf8'))
  // Docker refuses more than the machine has.
  expect(Number(ARS_CPUS)).toBeGreaterThanOrEqual(0.75)
  expect(Number(ARS_CPUS)).toBeLessThanOrEqual(availableParallelism())
})

test('nothing is overwritten, and no two installations share a secret', () => {
  const [one, other] = [make('one', 'compose'), make('other', 'compose')]
  const before = readFileSync(join(one, 'secrets/kek'), 'utf8')
  expect(() => make('one', 'compose')).toThrow('is not empty')
  expect(readFileSync(join(one, 'secrets/kek'), 'utf8')).toBe(before)
  for (const name of readdirSync(join(one, 'secrets')))
    expect(readFileSync(join(one, 'secrets', name), 'utf8'), name).not.toBe(
      readFileSync(join(other, 'secrets', name), 'utf8'),
    )
})

test('an address that is none is refused', () => {
  expect(() => publicUrlOf('agents.example.com')).toThrow('--public-url must be an address')
  expect(publicUrlOf(undefined)).toBe('https://localhost:8443')
})
