import type { GatewayParts } from '@ars/core'
import { type DatabaseFacts, readDatabaseFacts, type ServerFacts } from '@ars/platform/db/readiness'
import { readRelease } from '@ars/platform/db/schema-files'
import { schemaFit } from '@ars/platform/db/schema-fit'
import { serverBounds } from '../bounds.ts'
import { schemaDir } from '../migrate.ts'
import { maxClockOffMs } from '../readiness.ts'
import { version } from '../version.ts'
import { describe, type Finding, skipped } from './finding.ts'

export const schemaChecks = ['migrations', 'partitions', 'retention', 'locks', 'clock', 'batches'] as const

const partitionDaysLeast = 3
const dayMs = 86_400_000
// A statement locks all partitions of its tables, and most read up to four partitioned tables.
const tablesPerStatement = serverBounds.tablesOfStatement.count

export const checkSchema = async (server: ServerFacts, parts: GatewayParts): Promise<Finding[]> => {
  const [migrations, ...others] = schemaChecks
  const skipOthers = (why: string): Finding[] => others.map((what) => skipped(what, `not checked: ${why}`))
  if (!server.hasMigrations) {
    const advice = 'Run `ars-server migrate` as the owner.'
    return [{ what: migrations, found: 'the database is empty', advice }, ...skipOthers('the database is empty')]
  }
  const facts = await readDatabaseFacts(parts.feedReads).catch((error: unknown) => describe(error))
  if (typeof facts === 'string') {
    const advice = 'Check ARS_DATABASE_FEED_URL, and run `ars-server migrate` as the owner.'
    return [{ what: migrations, found: facts, advice }, ...skipOthers('ars_feed cannot read the schema')]
  }
  return [
    await checkMigrations(facts),
    checkPartitions(facts),
    retentionOf(facts, parts),
    checkLocks(facts),
    checkClock(facts, parts),
    checkBatches(server),
  ]
}

/** Each statement that serves several organisations fails without the role, and is repeated for each of them. */
const checkBatches = ({ roles, hasBatchRole }: ServerFacts): Finding => {
  const what = 'batches'
  if (!roles.includes('ars_app')) return skipped(what, 'not checked: ars_app cannot log in')
  return hasBatchRole
    ? { what, found: 'hold rows of several organisations' }
    : { what, found: 'ars_app is not a member of the role ars_batch', advice: 'Run db/roles.sql again.' }
}

const checkMigrations = async (facts: DatabaseFacts): Promise<Finding> => {
  const what = 'migrations'
  const fit = schemaFit(facts, await readRelease(schemaDir, version))
  if (fit.kind === 'too old')
    return { what, found: `missing: ${fit.missing.join(', ')}`, advice: 'Run `ars-server migrate` as the owner.' }
  if (fit.kind === 'too new') return { what, found: 'too new for this release', advice: `${fit.words}.` }
  return { what, found: `${facts.migrations.length} applied, none missing` }
}

const checkPartitions = ({ partitionedUntil, now }: DatabaseFacts): Finding => {
  const needed = dayOf(now.getTime() + partitionDaysLeast * dayMs)
  return partitionedUntil !== null && partitionedUntil >= needed
    ? { what: 'partitions', found: `created until ${partitionedUntil}` }
    : {
        what: 'partitions',
        found: partitionedUntil === null ? 'none for today' : `only until ${partitionedUntil}`,
        advice: 'Start a worker, which creates partitions 14 days ahead, or run `ars-server admin partitions`.',
      }
}

/** Information, because an operator must know when data goes. */
const retentionOf = ({ oldestDay, oldestUntil }: DatabaseFacts, { config }: GatewayParts): Finding => {
  const what = 'retention'
  if (oldestDay === null || oldestUntil === null) return { what, found: 'there are no runs' }
  const dropped = dayOf(timeOf(oldestUntil) + config.retentionDays * dayMs)
  return { what, found: `runs since ${oldestDay} are kept; the oldest are dropped on ${dropped}` }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

const timeOf = (day: string): number => Date.UTC(+day.slice(0, 4), +day.slice(4, 6) - 1, +day.slice(6, 8))

const checkLocks = ({ maxPartitions, maxLocksPerTransaction }: DatabaseFacts): Finding => {
  const needed = maxPartitions * tablesPerStatement
  const found = `max_locks_per_transaction is ${maxLocksPerTransaction}, for up to ${maxPartitions} partitions of a table`
  return maxLocksPerTransaction >= needed
    ? { what: 'locks', found }
    : { what: 'locks', found, advice: `Set max_locks_per_transaction to ${needed} or more and restart Postgres.` }
}

const checkClock = ({ now, hasTestClock }: DatabaseFacts, { clock, config }: GatewayParts): Finding => {
  const what = 'clock'
  if (hasTestClock && !config.testStack) {
    return { what, found: 'the database has a test clock', advice: 'Do not serve customers from a test database.' }
  }
  if (hasTestClock) return { what, found: 'moved by a test' }
  const offMs = Math.abs(now.getTime() - clock.now().getTime())
  const found = `${offMs} ms from the database clock`
  if (offMs <= maxClockOffMs) return { what, found }
  return { what, found, advice: 'Synchronise both clocks with NTP: ids contain their time.' }
}
