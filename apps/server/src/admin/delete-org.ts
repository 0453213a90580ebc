import { setTimeout as sleep } from 'node:timers/promises'
import { stopChannel } from '@ars/core/runs'
import type { Session } from '@ars/platform/db/session'
import { fromUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { operatorName } from '@ars/platform/operator-name'
import { script } from '@ars/platform/redis/scripts'
import { serverBounds } from '../bounds.ts'
import { type Command, CommandFailed, organisationOf, required, tell, type Values } from './command.ts'
import {
  closeDoors,
  countRows,
  type DeletionStep,
  deleteOrganisation,
  deletePeople,
  deleteRows,
  findOrganisation,
  planDeletion,
} from './organisation-deletion.store.ts'
import { findClosed, openOrganisation } from './organisation-move.store.ts'
import { statementTimeoutMs } from './organisation-rows.store.ts'
import { withOperatorSessions, withServices } from './with-services.ts'

/** Gateways trust a cached credential for 4 seconds. */
const forgottenMs = 5_000
/** A job of a worker may store a row of the organisation that it had read before. */
const maxPasses = serverBounds.deletionPasses.count
const pauseMs = 2_000
const bucketsPerCall = serverBounds.bucketsTogether.count
const deleteBuckets = script(`return redis.call('DEL', unpack(KEYS))`)

/** `admin delete-org`: deletes an organisation and every row of it, and proves that none is left. Repeat it after an interruption. */
export const deleteOrg: Command = {
  usage: '--org ID --confirm NAME [--json]',
  does: 'delete an organisation and all of its data; NAME is its exact name',
  options: { org: { type: 'string' }, confirm: { type: 'string' }, json: { type: 'boolean' } },
  run: async (env, values) => {
    const [org, confirm] = [organisationOf(values), required(values, 'confirm')]
    return withOperatorSessions(env, { timeoutMs: statementTimeoutMs }, (sessions) =>
      deleteAll({ env, values, org, confirm, ...sessions }),
    )
  },
}

type Deletion = {
  env: NodeJS.ProcessEnv
  values: Values
  org: string
  confirm: string
  /** Row-level security restricts it to the organisation, and only it may delete from every table. */
  owner: Session
  /** For people, who may belong to several organisations. */
  system: Session
}

const deleteAll = async ({ env, values, org, confirm, owner, system }: Deletion): Promise<number> => {
  const id = fromUuid('org', org)
  const steps = await planDeletion(owner)
  const organisation = await findOrganisation(owner, org)
  if (organisation && organisation.name !== confirm)
    throw new CommandFailed(`${id} is called ${JSON.stringify(organisation.name)}. Repeat its name with --confirm.`)
  if ((await findClosed(owner, org))?.state === 'moving')
    throw new CommandFailed(
      `${id} moves to another cell. Repeat \`ars-server admin move-org\`, or end it with --abort.`,
    )
  // The organisation's own audit log is deleted, so the act is recorded in the log of the operator.
  const log = createLog({ level: 'info', write: (line) => process.stderr.write(line) })
  if (organisation) {
    log.info('organisation deletion starts', { org_id: id, actor: operatorName() })
    await shutOut(env, org, await closeDoors(owner, org))
  }
  let rows = 0
  for (let pass = 1; ; pass++) {
    rows += await deletePass({ org, owner, system, steps })
    rows += await deleteOrganisation(owner, org)
    const left = await findLeft(owner, org, steps)
    if (left.length === 0) break
    if (pass === maxPasses) throw new CommandFailed(`Rows are left: ${left.join(', ')}. Run the command again.`)
    await sleep(pauseMs)
  }
  if (!organisation && rows === 0) throw new CommandFailed(`No organisation ${id}, and no table has a row of it.`)
  // Last: nothing is left that could be worked on.
  await openOrganisation(owner, org)
  log.info('organisation deleted', { org_id: id, actor: operatorName(), rows })
  return tell(values, { organisation: id, deleted_rows: rows, checked_tables: steps.length + 1 }, [
    `Deleted ${id}: ${rows} rows. None of ${steps.length + 1} tables has a row of it any more.`,
    'Back-ups and logs still contain its data until they expire. People who belong to another organisation keep their accounts.',
  ])
}

/** Credentials end everywhere, work in progress stops, and the counters in Redis go. */
const shutOut = (
  env: NodeJS.ProcessEnv,
  org: string,
  { buckets, runs }: { buckets: readonly string[]; runs: readonly string[] },
): Promise<void> =>
  withServices(env, async ({ access, parts }) => {
    access.forget(org)
    for (const run of runs) parts.pubSub.publish(stopChannel, run)
    await sleep(forgottenMs)
    for (let at = 0; at < buckets.length; at += bucketsPerCall) {
      const keys = buckets.slice(at, at + bucketsPerCall).map((bucket) => `ars:bucket:${bucket}`)
      // Without an answer they expire within minutes.
      await parts.scripts?.run(deleteBuckets, keys, []).catch(() => undefined)
    }
  })

const deletePass = async ({
  org,
  owner,
  system,
  steps,
}: Pick<Deletion, 'org' | 'owner' | 'system'> & { steps: readonly DeletionStep[] }): Promise<number> => {
  let rows = 0
  for (const { table, leaves } of steps) {
    let deleted = 0
    if (table === 'members') {
      const people = await deletePeople(system, org)
      deleted += people.members + people.users
    }
    for (const leaf of leaves) deleted += await deleteRows(owner, org, leaf)
    if (deleted > 0) process.stderr.write(`${table}: ${deleted} rows\n`)
    rows += deleted
  }
  return rows
}

const findLeft = async (owner: Session, org: string, steps: readonly DeletionStep[]): Promise<string[]> => {
  const left: string[] = []
  for (const { table, leaves } of steps) {
    let count = 0
    for (const leaf of leaves) count += await countRows(owner, org, leaf)
    if (count > 0) left.push(`${table} (${count})`)
  }
  if (await findOrganisation(owner, org)) left.push('organisations (1)')
  return left
}
