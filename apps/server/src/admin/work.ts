import { readWork, type WorkShare } from '@ars/core'
import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { fromUuid } from '@ars/platform/id'
import { serverBounds } from '../bounds.ts'
import { type Command, numberOf, optional, organisationOf, tell, type Values } from './command.ts'
import { openSystem } from './with-services.ts'

const defaultRows = 30
const maxRows = serverBounds.workRows.count

/** `admin work`: which organisation uses what of the work queues, over all workers. */
export const work: Command = {
  usage: '[--org ID] [--limit N] [--json]',
  does: 'list what organisations use of the work queues, now and in the last hour',
  options: { org: { type: 'string' }, limit: { type: 'string' }, json: { type: 'boolean' } },
  run: async (env, values) => {
    const [org, limit] = [orgOf(values), Math.min(numberOf(values, 'limit') ?? defaultRows, maxRows)]
    const system = openSystem(parseConfig(Config, env))
    try {
      const shares = await readWork(system, { org, limit })
      const facts = shares.map((share) => ({ ...share, org_id: fromUuid('org', share.org_id) }))
      return tell(values, { work: facts }, linesOf(facts))
    } finally {
      await system.close()
    }
  },
}

const orgOf = (values: Values): string | null => (optional(values, 'org') === undefined ? null : organisationOf(values))

const heads = ['organisation', 'queue', 'in work', 'due', 'oldest due', 'turns (1 h)', 'time (1 h)'] as const

const linesOf = (shares: readonly WorkShare[]): string[] => {
  if (shares.length === 0) return ['Nothing is due, and no queue had a turn in the last hour.']
  const rows = shares.map((share) => [
    share.org_id,
    share.queue,
    `${share.places}`,
    `${share.due}`,
    share.oldest_due_seconds === null ? '-' : `${share.oldest_due_seconds.toFixed(1)} s`,
    `${share.turns}`,
    `${share.turn_seconds.toFixed(1)} s`,
  ])
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)))
  return [[...heads], ...rows].map((row) =>
    row.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  )
}
