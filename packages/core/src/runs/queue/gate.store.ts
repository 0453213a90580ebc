import type { Database } from '@ars/platform/db/database'
import { sql, statement } from '@ars/platform/db/statement'
import { firstGateRank } from './queue.ts'

/**
 * Lets runs pass the gate of their agent, at most as many as the agent may have in progress. They join the queue of their
 * organisation. Answers how many passed.
 */
// crosses organisations: the gates of all agents are opened together.
export const openGates = async (db: Database, { limit }: { limit: number }): Promise<number> => {
  const [, [row]] = await db.batch(null, [lockGates(), open({ limit })])
  return row?.opened ?? 0
}

/**
 * How many runs the agent of a row `h` may have in progress, as SQL; null: only the organisation limits it. The live
 * version sets the limit, for the runs of a canary too.
 */
export const concurrencyOfAgent = `(select (v.limits ->> 'max_concurrent_runs')::integer
      from agents a join agent_versions v
        on v.org_id = a.org_id and v.agent_id = a.id and v.version = coalesce(a.live_version, a.version)
     where a.org_id = h.org_id and a.id = h.agent_id)`

// Only one process opens gates at a time. The count is a separate statement that begins under the lock, so that it sees
// all runs that passed before. A run that ends meanwhile leaves one place unused until the next call.
const lockGates = statement('gates.turn', sql`select pg_advisory_xact_lock(7305243)`)

const open = statement<{ limit: number }, { opened: number }>(
  'gates.open',
  sql`with recursive gates as (
    -- The agents with waiting runs, from one to the next through the index.
    (select org_id, agent_id from run_heads where rank >= ${firstGateRank} order by org_id, agent_id limit 1)
    union all
    select next.org_id, next.agent_id
      from gates g
      cross join lateral (
        select h.org_id, h.agent_id from run_heads h
         where h.rank >= ${firstGateRank} and (h.org_id, h.agent_id) > (g.org_id, g.agent_id)
         order by h.org_id, h.agent_id limit 1) next
  ), free_places as (
    select h.org_id, h.agent_id,
           least(:limit, coalesce(${concurrencyOfAgent}
             - (select count(*) from run_heads u
                 where u.org_id = h.org_id and u.agent_id = h.agent_id and u.has_place), :limit)) as free
      from gates h
  ), chosen as (
    select w.run_id
      from free_places p
      cross join lateral (
        select h.run_id from run_heads h
         where h.org_id = p.org_id and h.agent_id = p.agent_id and h.rank >= ${firstGateRank}
         order by h.rank, h.run_id limit greatest(0, p.free) for update skip locked) w
  ), head as (
    update run_heads h set rank = h.rank - ${firstGateRank}, has_place = true
      from chosen c where h.run_id = c.run_id and h.rank >= ${firstGateRank}
    returning 1
  )
  select count(*)::integer as opened from head`,
)
