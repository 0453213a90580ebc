import type { GatewayParts, Parts } from '@ars/core'
import { ConfigError } from '@ars/platform/config'
import { readDatabaseFacts } from '@ars/platform/db/readiness'
import { type Release, schemaFit } from '@ars/platform/db/schema-fit'
import { toUuid, uuidTimeMs } from '@ars/platform/id'
import { serverBounds } from './bounds.ts'
import { poolsOf, type Role } from './parts.ts'

/** Why a process is not ready; null: it is ready. */
export type Readiness = { check(): Promise<string | null>; stop(): void; isStopping(): boolean }

/** Ids contain their time. With a larger offset they would fall on the wrong day. */
export const maxClockOffMs = serverBounds.clockOff.ms
const rememberMs = 1_000

type ReadyParts = GatewayParts & Partial<Pick<Parts, 'steps' | 'system' | 'deliveries'>>

export const createReadiness = (parts: ReadyParts, role: Role, release: Release): Readiness => {
  let stopping = false
  let known: { untilMs: number; reason: Promise<string | null> } | undefined

  const findPoolFault = async (): Promise<string | null> => {
    const looked = await Promise.all(
      poolsOf[role].map(async (pool) => ({ pool, fault: (await parts[pool]?.findFault()) ?? null })),
    )
    const ill = looked.find(({ fault }) => fault !== null)
    return ill ? `the database pool ${ill.pool} ${ill.fault}` : null
  }

  const look = async (): Promise<string | null> => {
    const poolFault = await findPoolFault()
    if (poolFault !== null) return poolFault
    const facts = await readDatabaseFacts(parts.feedReads).catch(whyNoFacts)
    if (typeof facts === 'string') return facts
    const fit = schemaFit(facts, release)
    if (fit.kind === 'too old') return `the schema lacks ${fit.missing.join(', ')}`
    if (fit.kind === 'too new') return fit.words
    const isOff = (ms: number): boolean => !facts.hasTestClock && Math.abs(facts.now.getTime() - ms) > maxClockOffMs
    if (isOff(parts.clock.now().getTime())) return 'the clock differs from the database clock by more than 5 s'
    // Ids that stay sorted may be ahead of a clock that was set back.
    if (isOff(uuidTimeMs(toUuid(parts.newId('probe')))))
      return 'new ids differ from the database clock by more than 5 s'
    if (facts.partitionedUntil === null) return 'the partition for today is missing'
    return null
  }

  return {
    check: () => {
      if (stopping) return Promise.resolve('stopping')
      const nowMs = parts.clock.monotonicMs()
      if (!known || known.untilMs <= nowMs) known = { untilMs: nowMs + rememberMs, reason: look() }
      return known.reason
    },
    stop: () => {
      stopping = true
    },
    isStopping: () => stopping,
  }
}

const undefinedTable = '42P01'

/** Logins that are missing look the same: `migrate` makes them. They are found when a connection is opened. */
const isUnmigrated = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === undefinedTable) || (error.cause !== undefined && isUnmigrated(error.cause)))

const whyNoFacts = (error: unknown): string =>
  isUnmigrated(error) ? 'the database is not migrated' : 'the database does not respond'

/**
 * A process whose release does not fit the schema ends at the start and says what to do. It would only fail requests. If
 * the database does not respond, the process starts: it is not ready until the database is back and fits.
 */
export const refuseUnfitSchema = async (parts: GatewayParts, release: Release): Promise<void> => {
  const schema = await readDatabaseFacts(parts.feedReads).catch((error: unknown) =>
    isUnmigrated(error) ? { migrations: [], stops: [], functions: [], migratedBy: null } : null,
  )
  const fit = schema && schemaFit(schema, release)
  if (fit && fit.kind !== 'fits') throw new ConfigError(`${fit.words}.`)
}

/** A database with a movable clock belongs to tests and must not serve customers. */
export const refuseTestClock = async (parts: GatewayParts): Promise<void> => {
  if (parts.config.testStack) return
  const facts = await readDatabaseFacts(parts.feedReads).catch(() => null)
  if (facts?.hasTestClock) {
    throw new Error('This database has a test clock (table app_clock). Set ARS_TEST_STACK=true on a test stack only.')
  }
}
