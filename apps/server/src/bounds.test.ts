import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract, limits } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import { platformBounds } from '@ars/platform/bounds'
import { releaseFile } from '@ars/platform/release-files'
import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { rollupRebuild } from './admin/rollup-rebuild.ts'
import { backup } from './backup/backup.ts'
import { openPrograms } from './backup/postgres-program.ts'
import { serverBounds } from './bounds.ts'
import { createAuthFailureThrottle } from './gateway/admit/auth-failure-throttle.ts'
import { createPreRouting } from './gateway/admit/pre-routing.ts'
import { parseInput, parsePrefer } from './gateway/answer/request.ts'
import { createLineRoutes } from './gateway/stream/line-route.ts'
import { retryLine } from './gateway/stream/open-stream.ts'

const nothing = {} as never

const refusalOf = (body: object): Fault => {
  try {
    parseInput(contract.agents.create, { params: {}, query: {}, body })
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('nothing was refused')
}

test('a request with many faults names as many as its row says, with short names', () => {
  const config = {
    tools: Array.from({ length: 3 }, () => Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`f${n}`, 1]))),
  }
  expect(refusalOf({ config }).details).toHaveLength(serverBounds.detailsTold.count)
  const params = (refusalOf({ ['x'.repeat(10_000)]: 1 }).details ?? []).map(({ param }) => param)
  expect(params).toContain(`${'x'.repeat(serverBounds.paramTold.chars)}…`)
})

test('beyond the addresses of its row the oldest begins anew, and a credential beyond its row is not known', () => {
  const throttle = createAuthFailureThrottle({ perMinute: 1, clock: fakeClock() })
  const addressOf = (n: number) => `${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.1`
  const { count } = serverBounds.addressesKnown
  throttle.passed('known')
  for (let n = 0; n < count; n++) throttle.failed(addressOf(n), 'guess')
  expect(throttle.waitSeconds(addressOf(0), 'guess')).toBeGreaterThan(0)
  expect(throttle.waitSeconds(addressOf(0), 'known')).toBe(0)
  throttle.failed(addressOf(count), 'guess')
  expect(throttle.waitSeconds(addressOf(0), 'guess')).toBe(0)
  expect(throttle.waitSeconds(addressOf(1), 'guess')).toBeGreaterThan(0)
  for (let n = 0; n < serverBounds.credentialsKnown.count; n++) throttle.passed(`other ${n}`)
  expect(throttle.waitSeconds(addressOf(1), 'known')).toBeGreaterThan(0)
})

test('clients of streams that end together come back at the rate of their row, over a bounded time', () => {
  const latestOf = (streams: number) => Number(/\d+/.exec(retryLine(1, streams))?.[0])
  const { count: perSecond } = serverBounds.reconnects
  expect(latestOf(10 * perSecond)).toBe(10_000)
  expect(latestOf(1_000 * perSecond)).toBe(serverBounds.reconnectSpread.ms)
})

test('a migration waits less long for a lock than a request that waits behind it, and the page of upgrades says how long', () => {
  const { ms } = platformBounds.migrationLockWait
  expect(ms).toBeLessThan(serverBounds.apiLock.ms)
  const page = readFileSync(releaseFile('docs/operate/upgrade.md'), 'utf8').replaceAll(/\s+/g, ' ')
  expect(page).toContain(`A migration waits at most ${ms} ms for a lock, and then tries again`)
  expect(page).toContain(`Gateways wait ${serverBounds.apiLock.ms} ms`)
})

test('commands refuse a wish beyond the row that they name', async () => {
  const wanted = (command: { run(env: NodeJS.ProcessEnv, values: object): unknown }, values: object) => async () =>
    command.run({}, values as never)
  const { count: kept } = serverBounds.backupsKept
  await expect(wanted(backup, { folder: 'f', keep: String(kept + 1) })).rejects.toThrow(`--keep: must be 1 to ${kept}`)
  // One less is no usage error: the settings are read next.
  await expect(wanted(backup, { folder: 'f', keep: String(kept) })).rejects.toThrow(/ARS_DATABASE_BACKUP_URL/)
  const dayOf = (n: number) => new Date(Date.UTC(2024, 0, n)).toISOString().slice(0, 10)
  const { count: days } = serverBounds.daysRebuilt
  const rebuild = (length: number) => wanted(rollupRebuild, { from: dayOf(1), to: dayOf(length) })
  await expect(rebuild(days + 1)).rejects.toThrow(`--to: at most ${days} days at once`)
  await expect(rebuild(days)).rejects.toThrow(/ARS_/)
})

test('a key has as many open downloads as serverBounds.lineAnswers says, and one more is refused', async () => {
  const lines = createLineRoutes({
    credentials: { add: () => () => undefined },
    outgoing: { take: () => ({ giveBack: () => undefined }) } as never,
    rates: nothing,
    onSlow: () => undefined,
    onClose: () => undefined,
    log: nothing,
  })
  const request = (id: string) => ({ caller: { bucket: { id } }, method: 'GET' }) as never
  const ends: (() => void)[] = []
  const open = () => new Promise<never>((_, reject) => ends.push(() => reject(new Error('over'))))
  const serve = (id: string) => lines.serve(request(id), nothing, open).catch((error: Error) => error)
  const { count } = serverBounds.lineAnswers
  const all = Array.from({ length: count }, () => serve('key'))
  expect(await serve('key')).toMatchObject({ code: 'rate_limited', message: expect.stringContaining(`${count} open`) })
  const others = serve('other')
  for (const end of ends) end()
  expect((await Promise.all([...all, others])).map((error) => (error as Error).message)).toEqual(
    Array(count + 1).fill('over'),
  )
  // A place that became free is given again.
  const next = serve('key')
  expect(ends).toHaveLength(count + 2)
  ends.at(-1)?.()
  expect(await next).toMatchObject({ message: 'over' })
})

test('a wait of a request is cut to limits.waitMaxSeconds', () => {
  const waitOf = (seconds: number) => parsePrefer(`wait=${seconds}`)
  const { waitMaxSeconds: most } = limits
  expect(waitOf(most - 1)).toEqual({ waitMs: 1_000 * (most - 1), applied: `wait=${most - 1}` })
  expect(waitOf(most + 1)).toEqual({ waitMs: 1_000 * most, applied: `wait=${most}` })
})

test('of what a program says the last lines are told (serverBounds.programLines)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ars-'))
  writeFileSync(join(folder, 'pg_talk'), '#!/bin/sh\nfor n in $(seq 101 140); do echo "line $n" >&2; done\nexit 1\n', {
    mode: 0o755,
  })
  const programs = openPrograms({ PATH: `${folder}:/usr/bin:/bin` }, 99)
  const said = await programs('pg_talk', { args: [], limitMs: 60_000 }).catch((error: Error) => error.message)
  const lines = String(said).match(/line \d+/g)
  expect([lines?.length, lines?.at(-1)]).toEqual([serverBounds.programLines.count, 'line 140'])
})

test('a base back-up is taken at least each serverBounds.baseEvery.hours, and beside the archive only', async () => {
  const said = (values: Record<string, string | boolean>) =>
    backup.run({}, { folder: '/backups', ...values }).catch((error: Error) => error.message)
  const { hours } = serverBounds.baseEvery
  expect(await said({ follow: true, 'base-every': String(hours + 1) })).toBe(
    `--base-every: must be 1 to ${hours} hours`,
  )
  expect(await said({ follow: true, 'base-every': String(hours) })).toContain('ARS_DATABASE_BACKUP_URL')
  expect(await said({ 'base-every': '24' })).toBe('--base-every: needs --follow')
})

test('as many exposed keys are looked up at once as serverBounds.exposures says', async () => {
  const asked: string[] = []
  const end = Promise.withResolvers<void>()
  const lines: string[] = []
  const { noteExposed } = createPreRouting({
    access: {
      noteExposed: (key: string) => {
        asked.push(key)
        return end.promise
      },
    } as never,
    addresses: nothing,
    outgoing: nothing,
    docUrl: '',
    log: { warn: (line: string) => void lines.push(line) } as never,
  })
  const { count } = serverBounds.exposures
  for (let n = 0; n <= count; n++) noteExposed(`Bearer key_${n}`, nothing)
  expect([asked.length, lines.length]).toEqual([count, 1])
  end.resolve()
  await expect
    .poll(() => {
      noteExposed('Bearer again', nothing)
      return asked.includes('again')
    })
    .toBe(true)
})
