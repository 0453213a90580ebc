import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readHeldMs } from '@ars/platform/db/short-transaction'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { removePostgresHome } from '@ars/tools/dev/parts/postgres-home'
import type { ServerPart } from '@ars/tools/dev/server'
import { createStack, type Stack } from '@ars/tools/dev/stack'
import { apiCaller } from '../../lab/client/api-caller.ts'
import { balancer } from '../../lab/client/balancer.ts'
import { quantile } from '../../lab/measure/statistics.ts'
import { bar, type Claim, claim, type Metric } from '../../lab/report/outcome.ts'
import { organisationOf, setConcurrency } from '../../lab/stack/organisation.ts'
import { openSql } from '../../lab/stack/sql.ts'
import { disposable, type Seed } from '../../lab/stack/temporary-stack.ts'
import { drill } from '../drill.ts'
import { readRuns, runClaims, untilAllEnded } from '../run-records.ts'
import { gapsIn, watchStreams } from '../stream-watch.ts'
import { startTraffic } from '../traffic.ts'
import { findPlanted } from './planted.ts'
import { openReleases, type Releases } from './releases.ts'

type Size = {
  /** Runs that are started each second. */
  perSecond: number
  streams: number
  /** How long the old release serves at first, both serve together, the new one serves, and the old one serves again. */
  oldSeconds: number
  mixedSeconds: number
  newSeconds: number
  backSeconds: number
}

type Role = 'worker' | 'gateway'
/** The place of a process: its role and its number. */
type Place = { role: Role; index: 1 | 2 }

const endTimeoutMs = 600_000
const stepsOfRun = { steps: 2, delay_ms: 300 }
const streamOfRun = { frames: 40, everyMs: 250 }
const connections = 12
/** Gateways wait longer for a lock. */
const usualHeldMs = 100
const maxHeldMs = 250
/** Refusals are counted for each span of this length. */
const secondsOfMoment = 10

/** An upgrade and its way back, as the guide describes them, while clients work. */
export const upgrade = drill<Size>({
  name: 'upgrade',
  promise:
    'An upgrade and its roll-back under load lose no run, fail no call and leave no gap in a stream, with both releases side by side.',
  sizes: {
    ci: { perSecond: 4, streams: 4, oldSeconds: 2, mixedSeconds: 3, newSeconds: 2, backSeconds: 2 },
    full: { perSecond: 50, streams: 200, oldSeconds: 300, mixedSeconds: 600, newSeconds: 450, backSeconds: 450 },
  },
  play: async ({ say, from, keepFiles }, size) => {
    const releases = await openReleases(from)
    const { older, newer, stops } = releases
    const fleet = await startOldFleet(releases)
    say(`the older release serves: commit ${older.commit.slice(0, 9)}`)
    const { stack, organisation, place } = fleet
    const front = await balancer({
      listen: { host: '127.0.0.63', port: stack.ports.gateway[0] },
      targets: stack.ports.gateway.map((port, at) => ({
        name: `gateway-${at + 1}`,
        host: '127.0.0.1',
        port,
        readyUrl: `http://127.0.0.1:${stack.ports.gatewayMetrics[at]}/readyz`,
      })),
    })
    const { host, port } = front
    const gateway = apiCaller({ host, port, ca: readFileSync(stack.tls.certFile), connections })
    const records = openSql(stack.postgres.url('ars_system'))
    let hasFailed = true
    try {
      await setConcurrency(records, organisation, 1000)
      const { apiKey } = organisation
      const refused = refusalsByTime()
      const traffic = startTraffic({
        gateways: [gateway],
        apiKey,
        prefix: 'order',
        perSecond: size.perSecond,
        bodyOf: () => ({ agent_id: organisation.agentId('test-steps'), input: stepsOfRun }),
        onRefusal: refused.note,
      })
      const streams = watchStreams({
        gateway,
        apiKey,
        agentId: organisation.agentId('test-stream'),
        streams: size.streams,
        ...streamOfRun,
        onRefusal: refused.note,
      })
      await sleep(size.oldSeconds * 1000)
      const begunAt = performance.now()
      const isStopped = stops.length > 0
      if (isStopped) await Promise.all(places.map((each) => place(each, null)))
      const migrated = await stack.command(['migrate'], {}, newer.bundle)
      say(`the schema is migrated: ${migrated.trim()}`)
      const held = migrated.split('\n').filter((line) => readHeldMs(line) !== null)
      const heldMs = held.map((line) => readHeldMs(line) ?? 0)
      const half = places.filter(({ index }) => index === 1)
      if (isStopped) await Promise.all(places.map((each) => place(each, newer.bundle)))
      else for (const each of half) await place(each, newer.bundle)
      const migratedMs = performance.now() - begunAt
      say(isStopped ? 'all processes were stopped and are new' : 'one worker and one gateway are new')
      if (!isStopped) {
        await sleep(size.mixedSeconds * 1000)
        for (const each of places.filter(({ index }) => index === 2)) await place(each, newer.bundle)
        say('all processes are new')
      }
      await sleep(size.newSeconds * 1000)
      if (!isStopped) {
        for (const each of places) await place(each, older.bundle)
        say('all processes are old again, on the new schema')
        await sleep(size.backSeconds * 1000)
      }
      await Promise.all([traffic.stop(), streams.stop()])
      await untilAllEnded({ records, gateways: [gateway], organisation, timeoutMs: endTimeoutMs })
      const accepted = traffic.accepted()
      const runs = await readRuns(records)
      const missing = await records.query<{ what: string }>(findPlanted)
      const refusals = Object.entries(traffic.refusals()).map(([what, count]) => `${what}: ${count}`)
      const metrics: Metric[] = [
        ['older release', `commit ${older.commit.slice(0, 9)}`],
        ['new migrations', releases.newMigrations.join(', ')],
        ['of them, migrations that need a stop', stops.join(', ') || 'none'],
        ['new or changed functions', releases.newFunctions.join(', ')],
        ['locks that the migration held', held.join('; ') || 'none'],
        [isStopped ? 'seconds of the stop' : 'seconds until both releases served', (migratedMs / 1000).toFixed(1)],
        ['runs acknowledged', accepted.length],
        ['streams read to their end', streams.ended()],
        ['connections made again by streams', streams.reconnects()],
        ['refusals, by the second of the load in which they began', refused.list()],
      ]
      const claims: Claim[] = [
        ...runClaims(accepted, runs),
        {
          says: 'every planted change of the schema is there',
          violations: missing.map(({ what }) => `${what} is missing`),
        },
        claim(
          'not vacuous: the migration locked a table that every run writes',
          held.some((line) => / on run_heads\b/.test(line)),
          held.join('; '),
        ),
        ...(held.length === 0
          ? []
          : [
              bar('milliseconds for which the migration holds a lock, p99', quantile(heldMs, 0.99), {
                most: usualHeldMs,
              }),
              bar('milliseconds for which the migration holds a lock, longest', Math.max(...heldMs), {
                most: maxHeldMs,
              }),
            ]),
        // A gateway that is too slow for the load turns calls away.
        ...(isStopped ? [] : [{ says: '0 failed calls', violations: refusals, isMeasured: true as const }]),
        {
          says: '0 gaps in streams, and none refused',
          // During a stop streams cannot be opened; then only their content counts.
          violations: isStopped ? gapsIn(streams.faults()) : streams.faults(),
        },
        claim('streams were read through the change', streams.ended() >= size.streams, `${streams.ended()} streams`),
      ]
      hasFailed = claims.some(({ violations }) => violations.length > 0)
      return { metrics, claims }
    } finally {
      gateway.close()
      await front.close()
      await records.close()
      await fleet.dispose({ keepFiles: hasFailed && keepFiles })
      releases.remove()
    }
  },
})

/** When calls were refused, so that the report tells which part of the upgrade caused it. */
const refusalsByTime = (): { note(what: string): void; list(): string } => {
  const begunMs = performance.now()
  const counts = new Map<string, number>()
  return {
    note: (what) => {
      const second = Math.floor((performance.now() - begunMs) / 1000 / secondsOfMoment) * secondsOfMoment
      const moment = `${second} s: ${what}`
      counts.set(moment, (counts.get(moment) ?? 0) + 1)
    },
    list: () => [...counts].map(([moment, count]) => `${moment} × ${count}`).join('; ') || 'none',
  }
}

/** Workers first, then gateways, as the guide says. */
const places: readonly Place[] = [
  { role: 'worker', index: 1 },
  { role: 'worker', index: 2 },
  { role: 'gateway', index: 1 },
  { role: 'gateway', index: 2 },
]

type Fleet = {
  stack: Stack
  organisation: ReturnType<typeof organisationOf>
  /** Replaces the process at a place by one of this bundle; null: by none. */
  place(place: Place, bundle: string | null): Promise<void>
  dispose(options: { keepFiles: boolean }): Promise<void>
}

const startOldFleet = async ({ older: { bundle } }: Releases): Promise<Fleet> => {
  const block = await reserveFreeBlock()
  const dir = mkdtempSync(join(tmpdir(), 'ars-drill-upgrade-'))
  // As root, Postgres runs as a separate user, which must be able to enter the directory.
  chmodSync(dir, 0o711)
  const stack = createStack({ dir, base: block.base, checkout: bundle })
  const serving = new Map<string, ServerPart>()
  const place: Fleet['place'] = async ({ role, index }, from) => {
    const name = `${role}-${index}`
    await serving.get(name)?.stop()
    if (from === null) return
    const next = stack.server({ role, index, checkout: from, env: { ARS_TEST_STACK: 'true' } })
    serving.set(name, next)
    await next.start()
  }
  const dispose = disposable(async ({ keepFiles }) => {
    await stack.stop()
    await block.release()
    if (keepFiles) return console.log(`The files stay in ${dir}`)
    removePostgresHome(join(dir, 'postgres'))
    rmSync(dir, { recursive: true, force: true })
  })
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    await Promise.all(places.map((each) => place(each, bundle)))
    return { stack, organisation: organisationOf('drill', seed), place, dispose }
  } catch (error) {
    await dispose({ keepFiles: false })
    throw error
  }
}
