import { setTimeout as sleep } from 'node:timers/promises'
import { beginFor, type Session } from '@ars/platform/db/session'
import { serverBounds } from '../bounds.ts'
import { CommandFailed } from './command.ts'
import { inDays, listChangedDays, listDays, type MovedDay, unwatchDays, watchDays } from './move-days.store.ts'
import {
  type Bucket,
  type CopiedTable,
  copyRows,
  countRows,
  deleteCopied,
  digestBuckets,
  digestRows,
  inBuckets,
  type RowsDigest,
  settleFormats,
} from './organisation-copy.store.ts'
import { countUnsettled, orderRuns } from './organisation-move.store.ts'
import { beginSnapshot, statementTimeoutMs } from './organisation-rows.store.ts'

/** Of a cell. The owner sees the rows of the organisation, and the system those of people. */
export type CellSessions = { owner: Session; system: Session }

export type Cells = { source: CellSessions; target: CellSessions }

/** Rows that a sweep of the other cell would work on are copied last, with everything else that starts work. */
const aheadOf: Readonly<Record<string, string>> = {
  events: 'position is not null',
  deliveries: `status <> 'pending'`,
}

/** Orders are for the engine of a cell: the other one gets new ones. */
const notCopied = ['outbox']

// A pass copies the rows that were written since the one before it.
const maxPasses = serverBounds.movePasses.count
const fewRows = 1_000
const settleEveryMs = 50
/** Workers give positions within 250 ms and count ends every second. A worker that is busy takes longer. */
const maxSettleMs = serverBounds.rowsSettle.ms
/** A request to an endpoint takes up to 10 s; one that is not awaited is repeated by the other cell, with the same id. */
const maxDeliveryWaitMs = serverBounds.deliveriesSettle.ms

/** Copies the tables with partitions while the organisation works. Rows that change meanwhile are copied again later. */
export const copyAhead = async (
  cells: Cells,
  org: string,
  { tables, say }: { tables: readonly CopiedTable[]; say(line: string): void },
): Promise<void> => {
  for (let pass = 1; pass <= maxPasses; pass++) {
    let rows = 0
    for (const table of tables.filter(({ partitionColumn }) => partitionColumn !== null))
      rows += await copyTableAhead(cells, org, table)
    say(`copied ahead: ${rows} rows in pass ${pass}`)
    if (rows < fewRows) return
  }
}

const copyTableAhead = ({ source, target }: Cells, org: string, table: CopiedTable): Promise<number> =>
  inBoth({ from: source.owner, to: target.owner }, org, async (pair) => {
    const { copied } = await copyChanged(pair, org, { table, where: aheadOf[table.name] })
    return copied
  })

/** Past days whose rows are equal in both cells, and how many they are. A change of one of them is noted. */
export type SettledDays = (MovedDay & { rows: number })[]

const partitioned = (tables: readonly CopiedTable[]): CopiedTable[] =>
  tables.filter(({ partitionColumn }) => partitionColumn !== null)

/**
 * Compares the past days while the organisation works, after `watchPastDays`. What changes in them later is noted in both cells, so
 * that the pause need not read the others.
 */
export const settlePastDays = async (
  { source, target }: Cells,
  org: string,
  { tables, watched }: { tables: readonly CopiedTable[]; watched: readonly MovedDay[] },
): Promise<SettledDays> => {
  // Only now: the rows that were copied until here would all be noted.
  const there = await watchPastDays(target.owner, org, tables)
  const settled: SettledDays = []
  for (const table of partitioned(tables))
    await inBoth({ from: source.owner, to: target.owner }, org, async (pair) => {
      const column = table.partitionColumn?.name ?? ''
      for (const day of watched.filter((each) => each.table === table.name)) {
        // Partitions there may have other bounds.
        const covering = there.filter((each) => isAlong(each, day))
        const range = inDays(column, [day])
        const where = aheadOf[table.name]
        if (!covers(covering, day)) continue
        const { rows } = await copyChanged(pair, org, { table, where, range })
        if (where === undefined || rows === (await countRows(pair.from, org, { table, where: range })))
          settled.push({ ...day, rows })
      }
    })
  return settled
}

/** Answers the past days in which every change is noted from now on. */
export const watchPastDays = async (
  owner: Session,
  org: string,
  tables: readonly CopiedTable[],
): Promise<MovedDay[]> => {
  const days = await listDays(
    owner,
    partitioned(tables).map(({ name }) => name),
  )
  return watchDays(
    owner,
    org,
    days.filter(({ isPast }) => isPast),
  )
}

/** Answers how many partitions still note changes. */
export const unwatchPastDays = async ({ source, target }: Cells, org: string): Promise<number> =>
  (await unwatchDays(source.owner, org)) + (await unwatchDays(target.owner, org))

const isAlong = (one: MovedDay, other: MovedDay): boolean =>
  one.table === other.table && one.from < other.until && other.from < one.until

/** Whether the days, in their order, leave no gap in this one. */
const covers = (days: readonly MovedDay[], { from, until }: MovedDay): boolean => {
  let reached = from
  for (const day of days) if (day.from <= reached && day.until > reached) reached = day.until
  return reached >= until
}

type Pair = { from: Session; to: Session }

/** Reads in a snapshot of one cell and writes in one transaction of the other one, which a failure rolls back. */
const inBoth = async <Result>(
  pair: Pair,
  org: string,
  work: (pair: Pair) => Promise<Result>,
  beginFrom = beginSource,
): Promise<Result> => {
  const { from, to } = pair
  await beginFrom(from, org)
  await beginTarget(to, org)
  try {
    const result = await work(pair)
    await to.query('commit')
    return result
  } catch (error) {
    await to.query('rollback').catch(() => undefined)
    throw error
  } finally {
    await from.query('rollback').catch(() => undefined)
  }
}

type Changing = {
  table: CopiedTable
  /** Rows that are copied. */
  where?: string | undefined
  /** Rows that are looked at in both cells. */
  range?: string | undefined
}

/** Copies the buckets that differ, and compares them. `rows`: how many the range has in all. */
const copyChanged = async (
  { from, to }: Pair,
  org: string,
  { table, where = 'true', range = 'true' }: Changing,
): Promise<{ rows: number; copied: number }> => {
  const [wanted, present] = await Promise.all([
    digestBuckets(from, org, { table, where: `${where} and ${range}` }),
    digestBuckets(to, org, { table, where: range }),
  ])
  const changed = differing(wanted, present)
  const rows = [...wanted.values()].reduce((sum, bucket) => sum + bucket.rows, 0)
  if (changed.length === 0) return { rows, copied: 0 }
  const buckets = `${range} and ${inBuckets(table, changed)}`
  await deleteCopied(to, org, { table, where: buckets })
  const copied = await copyRows({ from, to }, org, { table, where: `${where} and ${buckets}` })
  const arrived = await digestBuckets(to, org, { table, where: buckets })
  const still = differing(new Map([...wanted].filter(([bucket]) => changed.includes(bucket))), arrived)
  if (still.length > 0) throw new CommandFailed(`${table.name} differs after it was copied`)
  return { rows, copied }
}

const differing = (one: ReadonlyMap<Bucket, RowsDigest>, other: ReadonlyMap<Bucket, RowsDigest>): Bucket[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((bucket) => !isEqual(one.get(bucket), other.get(bucket)))

const isEqual = (one: RowsDigest | undefined, other: RowsDigest | undefined): boolean =>
  one?.rows === other?.rows && one?.digest === other?.digest

/**
 * Copies everything that is left in one transaction of the other cell, and compares all rows. The commit of that transaction
 * makes the other cell the one that works for the organisation. Answers how many rows it has.
 */
export const moveRows = async (
  cells: Cells,
  org: string,
  tables: readonly CopiedTable[],
  settled: SettledDays = [],
): Promise<{ rows: number; copied: number; ordered: number }> => {
  const { source, target } = cells
  await copyPeople(cells, org, tables)
  const copyRest = async (pair: Pair) => {
    const moved = { rows: 0, copied: 0, ordered: 0 }
    const left = await daysLeft(pair, org, { tables, settled })
    moved.rows += left.rows
    for (const table of tables.filter(({ name }) => name !== 'users' && !notCopied.includes(name))) {
      const { rows, copied } =
        table.partitionColumn === null
          ? await copyWhole(pair, org, { table })
          : await copyChanged(pair, org, { table, range: left.rangeOf(table) })
      moved.rows += rows
      moved.copied += copied
    }
    moved.ordered = await orderRuns(pair.to, org)
    return moved
  }
  return inBoth({ from: source.owner, to: target.owner }, org, copyRest, beginSettled)
}

/** What the pause has to look at: the present day, and past ones that changed. `rows`: of those that did not. */
const daysLeft = async (
  { from, to }: Pair,
  org: string,
  { tables, settled }: { tables: readonly CopiedTable[]; settled: SettledDays },
): Promise<{ rows: number; rangeOf(table: CopiedTable): string | undefined }> => {
  if (settled.length === 0) return { rows: 0, rangeOf: () => undefined }
  const names = partitioned(tables).map(({ name }) => name)
  const [here, there] = [await listDays(from, names), await listDays(to, names)]
  const changed = [...(await listChangedDays(from, org, here)), ...(await listChangedDays(to, org, there))]
  const kept = settled.filter((day) => !changed.some((each) => isAlong(each, day)))
  const isKept = new Set(kept.map(({ partition }) => partition))
  return {
    rows: kept.reduce((sum, { rows }) => sum + rows, 0),
    rangeOf: ({ name, partitionColumn }) =>
      inDays(
        partitionColumn?.name ?? '',
        here.filter(({ table, partition }) => table === name && !isKept.has(partition)),
      ),
  }
}

/** Copies all rows, and compares them. */
const copyWhole = async (
  { from, to }: Pair,
  org: string,
  { table }: { table: CopiedTable },
): Promise<{ rows: number; copied: number }> => {
  // A trigger may have added some.
  if (table.name !== 'organisations') await deleteCopied(to, org, { table })
  const copied = await copyRows({ from, to }, org, { table })
  const [wanted, arrived] = await Promise.all([digestRows(from, org, table), digestRows(to, org, table)])
  if (!isEqual(wanted, arrived))
    throw new CommandFailed(`${table.name}: ${arrived.rows} rows arrived of ${wanted.rows}, or their values differ`)
  return { rows: arrived.rows, copied }
}

/** In transactions of their own: the owner may not write people. A person who is known there keeps that account. */
const copyPeople = async ({ source, target }: Cells, org: string, tables: readonly CopiedTable[]): Promise<void> => {
  const table = tables.find(({ name }) => name === 'users')
  if (!table) throw new Error('There is no table of people')
  await inBoth({ from: source.system, to: target.system }, org, (pair) =>
    copyRows(pair, org, { table, skipKnown: true }),
  )
}

/** A snapshot in which all events of the organisation have positions and all its ends are counted. */
const beginSettled = async (db: Session, org: string): Promise<void> => {
  for (const begunMs = performance.now(); ; await sleep(settleEveryMs)) {
    await beginSource(db, org)
    const { events, ends, deliveries } = await countUnsettled(db, org)
    const waitedMs = performance.now() - begunMs
    if (events + ends === 0 && (deliveries === 0 || waitedMs > maxDeliveryWaitMs)) return
    await db.query('rollback')
    if (waitedMs > maxSettleMs)
      throw new CommandFailed(
        `${events} events have no position and ${ends} ended runs are not counted. Workers do this: do they run?`,
      )
  }
}

const beginSource = async (db: Session, org: string): Promise<void> => {
  await beginSnapshot(db, org)
  await settleFormats(db)
}

const beginTarget = async (db: Session, org: string): Promise<void> => {
  await beginFor(db, org, { timeoutMs: statementTimeoutMs })
  await settleFormats(db)
}
