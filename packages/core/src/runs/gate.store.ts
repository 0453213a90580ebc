import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { firstGateRank } from './queue.ts'

/**
 * Lets runs in that wait at the gate of their agent, as many of each agent as it has places free; they join the queue of
 * their organisation. Says how many.
 */
// crosses organisations: whoever waits at a gate is let in, whichever organisation's agent it is.
export const openGates = async (db: Database, { limit }: { limit: number }): Promise<number> => {
  const [, [row] = []] = (await db.batch(null, [turn(), open(limit)])) as [unknown[], { opened: number }[]]
  return row?.opened ?? 0
}

/**
 * How many runs the agent of a row `h` may have under way, as SQL; null: as many as its organisation. The number is that of the
 * version which is fully released, for the runs of a canary too.
 */
export const placesOfAgent = `(select (v.limits ->> 'max_concurrent_runs')::integer
      from agents a join agent_versions v
        on v.org_id = a.org_id and v.agent_id = a.id and v.version = coalesce(a.live_version, a.version)
     where a.org_id = h.org_id and a.id = h.agent_id)`

// One opens at a time. The count is a statement of its own, begun when the turn has come: so it sees all that were let in
// before it. Meanwhile runs may end, and then there is a place more than it knows; never one less.
const turn = statement('gates.turn', 'select pg_advisory_xact_lock(7305243)')

const open = statement(
  'gates.open',
  `with recursive gates as (
    (select org_id, agent_id from run_heads where rank >= ${firstGateRank} order by org_id, agent_id limit 1)
    union all
    select next.org_id, next.agent_id
      from gates g
      cross join lateral (
        select h.org_id, h.agent_id from run_heads h
         where h.rank >= ${firstGateRank} and (h.org_id, h.agent_id) > (g.org_id, g.agent_id)
         order by h.org_id, h.agent_id limit 1) next
  ), places as (
    select h.org_id, h.agent_id,
           least($1, coalesce(${placesOfAgent}
             - (select count(*) from run_heads u
                 where u.org_id = h.org_id and u.agent_id = h.agent_id and u.has_place), $1)) as free
      from gates h
  ), chosen as (
    select w.run_id
      from places p
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
