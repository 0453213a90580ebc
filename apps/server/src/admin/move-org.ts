import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Config } from '@ars/core/config'
import { closedChannel } from '@ars/core/events'
import { stopChannel } from '@ars/core/runs'
import { parseConfig } from '@ars/platform/config'
import type { Session } from '@ars/platform/db/session'
import { fromUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { operatorName } from '@ars/platform/operator-name'
import { serverBounds } from '../bounds.ts'
import { openKeyring } from '../keyring.ts'
import { type Command, CommandFailed, organisationOf, required, tell, type Values } from './command.ts'
import {
  type CellSessions,
  type Cells,
  copyAhead,
  moveRows,
  type SettledDays,
  settlePastDays,
  unwatchPastDays,
  watchPastDays,
} from './move-rows.ts'
import { type CopiedTable, deleteCopied, listCopiedTables } from './organisation-copy.store.ts'
import {
  deleteRows,
  findOrganisation,
  inTransaction,
  planDeletion,
  startingTables,
} from './organisation-deletion.store.ts'
import {
  type CellFacts,
  closeOrganisation,
  findClosed,
  findWrappedKey,
  hasArrived,
  listActiveRuns,
  listPartitionDays,
  listStrangers,
  lockMove,
  makePartition,
  noteMoved,
  openOrganisation,
  type PartitionDay,
  readCellFacts,
  readLastPosition,
  reservePositions,
  waitForOthers,
} from './organisation-move.store.ts'
import { statementTimeoutMs } from './organisation-rows.store.ts'
import { withOperatorSessions, withServices } from './with-services.ts'

/** A transaction of the service lasts at most a few seconds. */
const maxOthersMs = serverBounds.otherTransactions.ms
const maxReserveMs = serverBounds.positionsReserved.ms

/** `admin move-org`: moves an organisation to another cell while it works. Repeat it after an interruption. */
export const moveOrg: Command = {
  usage: '--org ID --to FILE [--abort] [--json]',
  does: 'move an organisation to another cell; FILE has the settings of that cell',
  options: {
    org: { type: 'string' },
    to: { type: 'string' },
    abort: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: async (env, values) => {
    const [org, file] = [organisationOf(values), required(values, 'to')]
    const other = settingsOf(file)
    await requireSameKeys(env, other, org)
    return withCell(env, (source) =>
      withCell(other, (target) =>
        withCell(env, async ({ owner: lock }) => {
          if (!(await lockMove(lock, org))) throw new CommandFailed('Another command moves this organisation now.')
          const move = await prepare({ env, values, org, cells: { source, target } })
          return values.abort === true ? abort(move) : withServices(env, ({ parts }) => play(move, parts.pubSub))
        }),
      ),
    )
  },
}

type Publisher = { publish(channel: string, message: string): void }

type Move = {
  values: Values
  org: string
  cells: Cells
  tables: CopiedTable[]
  /** Which database it moves to. */
  target: string
  say(line: string): void
}

const settingsOf = (file: string): NodeJS.ProcessEnv => {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as NodeJS.ProcessEnv
  } catch (error) {
    throw new CommandFailed(`--to: ${file} cannot be read`, { cause: error })
  }
}

const withCell = <Result>(env: NodeJS.ProcessEnv, work: (sessions: CellSessions) => Promise<Result>): Promise<Result> =>
  withOperatorSessions(env, { timeoutMs: statementTimeoutMs }, work)

/** What the organisation has sealed must be opened there. */
const requireSameKeys = async (env: NodeJS.ProcessEnv, other: NodeJS.ProcessEnv, org: string): Promise<void> => {
  const wrapped = await withCell(env, ({ owner }) => inTransaction(owner, org, () => findWrappedKey(owner, org)))
  if (wrapped === null) return
  const keyring = openKeyring(parseConfig(Config, other), other)
  const isOpened = await keyring?.unwrap(wrapped, org).then(
    () => true,
    () => false,
  )
  if (!isOpened)
    throw new CommandFailed(
      'The other cell cannot open the data key of the organisation. Give it the same key-encryption key.',
    )
}

/** Those that others refer to come first. */
export const listMovedTables = async (owner: Session): Promise<CopiedTable[]> => {
  const names = (await planDeletion(owner)).map(({ table }) => table).reverse()
  return listCopiedTables(owner, ['organisations', ...names, 'users'])
}

const prepare = async ({
  values,
  org,
  cells,
}: {
  env: NodeJS.ProcessEnv
  values: Values
  org: string
  cells: Cells
}): Promise<Move> => {
  const { source, target } = cells
  const [here, there] = [await readCellFacts(source.owner), await readCellFacts(target.owner)]
  if (here.identity === there.identity) throw new CommandFailed('--to: both cells have the same database.')
  const only = (one: CellFacts, other: CellFacts): string =>
    one.schema.filter((line) => !other.schema.includes(line)).join(', ') || 'nothing'
  if (here.schema.join() !== there.schema.join())
    throw new CommandFailed(
      `The schemas differ. Only here: ${only(here, there)}. Only there: ${only(there, here)}. Upgrade both cells to one release first.`,
    )
  if (!(await findOrganisation(source.owner, org))) throw new CommandFailed(`No organisation ${fromUuid('org', org)}`)
  const closed = await findClosed(source.owner, org)
  if (closed && closed.target !== there.identity)
    throw new CommandFailed('The organisation moves, or has moved, to another database than this one.')
  const tables = await listMovedTables(source.owner)
  return { values, org, cells, tables, target: there.identity, say: (line) => process.stderr.write(`${line}\n`) }
}

const play = async (move: Move, pubSub: Publisher): Promise<number> => {
  const { org, cells, say } = move
  const log = createLog({ level: 'info', write: (line) => process.stderr.write(line) })
  const facts = { org_id: fromUuid('org', org), actor: operatorName() }
  const [closed, isThere] = [await findClosed(cells.source.owner, org), await hasArrived(cells.target.owner, org)]
  if (isThere && !closed) throw new CommandFailed('The other cell has this organisation already.')
  if (isThere) {
    say('the other cell has all rows since an earlier command')
    return finish(move, { pauseMs: null, rows: null, ordered: null })
  }
  const strangers = await listStrangers({ from: cells.source.system, to: cells.target.system }, org)
  if (strangers.length > 0)
    throw new CommandFailed(
      `People have another account with the same address there: ${strangers.map(({ email }) => email).join(', ')}. Remove them from one of the cells first.`,
    )
  log.info('organisation move starts', facts)
  await reserve(move)
  await makeDays(move)
  const moved = await copyAndMove(move, pubSub)
  log.info('organisation moved', { ...facts, rows: moved.rows, pause_ms: moved.pauseMs })
  return finish(move, moved)
}

const copyAndMove = async (move: Move, pubSub: Publisher): ReturnType<typeof pauseAndMove> => {
  const { org, cells, tables, say } = move
  try {
    const watched = await watchPastDays(cells.source.owner, org, tables)
    await copyAhead(cells, org, move)
    const settled = await settlePastDays(cells, org, { tables, watched })
    say(`${settled.length} past days of tables are equal in both cells`)
    return await pauseAndMove({ ...move, settled }, pubSub)
  } finally {
    await unwatch(move)
  }
}

/** A repeated command does it again. Until then a change of a row of the organisation costs a note. */
const unwatch = async ({ org, cells, say }: Move): Promise<void> => {
  const left = await unwatchPastDays(cells, org)
  if (left > 0) say(`${left} partitions are locked by others and still note changes; repeat the command`)
}

/** The other cell needs partitions for all days of which this one has rows. */
const makeDays = async ({ cells: { source, target }, say }: Move): Promise<void> => {
  const nameOf = ({ parent, day }: PartitionDay): string => `${parent} ${day}`
  const known = new Set((await listPartitionDays(target.owner)).map(nameOf))
  const missing = (await listPartitionDays(source.owner)).filter((each) => !known.has(nameOf(each)))
  for (const each of missing) await makePartition(target.owner, each)
  if (missing.length > 0) say(`made ${missing.length} partitions in the other cell`)
}

const reserve = async ({ org, cells: { source, target } }: Move): Promise<void> => {
  const last = await readLastPosition(source.owner)
  if (!(await reservePositions(target.system, org, { last, maxMs: maxReserveMs })))
    throw new CommandFailed('Ended runs of the other cell are not counted. Its workers do this: do they run?')
}

/** The organisation is closed here until the other cell works for it, or open again after a failure. */
export const pauseAndMove = async (
  { org, cells, tables, target, say, settled }: Omit<Move, 'values'> & { settled?: SettledDays },
  pubSub: Publisher,
): Promise<{ pauseMs: number; rows: number; ordered: number }> => {
  const { owner } = cells.source
  const begunMs = performance.now()
  await closeOrganisation(owner, org, target)
  try {
    say('closed here')
    pubSub.publish(closedChannel, org)
    if (!(await waitForOthers(owner, maxOthersMs)))
      throw new CommandFailed(`A transaction of this cell did not end within ${maxOthersMs / 1000} s.`)
    for (const run of await inTransaction(owner, org, () => listActiveRuns(owner, org)))
      pubSub.publish(stopChannel, run)
    const { rows, copied, ordered } = await moveRows(cells, org, tables, settled)
    const pauseMs = Math.round(performance.now() - begunMs)
    say(`open there after ${pauseMs} ms: ${rows} rows, of which ${copied} were copied in the pause`)
    return { pauseMs, rows, ordered }
  } catch (error) {
    if (await hasArrived(cells.target.owner, org)) throw error
    await openOrganisation(owner, org)
    say('open here again; the other cell does not have it')
    throw error
  }
}

/** Nothing of it starts here any more, and it takes no slot. */
const finish = async (
  { values, org, cells: { source } }: Move,
  { pauseMs, rows, ordered }: { pauseMs: number | null; rows: number | null; ordered: number | null },
): Promise<number> => {
  await noteMoved(source.owner, org)
  for (const { table, leaves } of await planDeletion(source.owner)) {
    if (!startingTables.includes(table)) continue
    for (const leaf of leaves) await deleteRows(source.owner, org, leaf)
  }
  const id = fromUuid('org', org)
  return tell(values, { organisation: id, state: 'moved', rows, runs_under_way: ordered, pause_ms: pauseMs }, [
    pauseMs === null
      ? `${id} has moved.`
      : `Moved ${id}: ${rows} rows, ${ordered} runs under way, closed for ${pauseMs} ms.`,
    'Send its clients to the other cell. This one answers them with 503 until you run `ars-server admin delete-org` here.',
  ])
}

/** Before the other cell has it. Rows that were copied ahead are deleted there. */
const abort = async (move: Move): Promise<number> => {
  const {
    values,
    org,
    cells: { source, target },
    tables,
  } = move
  const id = fromUuid('org', org)
  if (await hasArrived(target.owner, org)) throw new CommandFailed(`The other cell has ${id}. Move it back from there.`)
  const wasClosed = (await openOrganisation(source.owner, org)) > 0
  await unwatch(move)
  let rows = 0
  for (const table of tables.filter(({ partitionColumn }) => partitionColumn !== null))
    rows += await inTransaction(target.owner, org, () => deleteCopied(target.owner, org, { table }))
  return tell(values, { organisation: id, state: 'open', was_closed: wasClosed, deleted_rows: rows }, [
    `${id} is open here. ${rows} rows that were copied ahead are deleted in the other cell.`,
  ])
}
