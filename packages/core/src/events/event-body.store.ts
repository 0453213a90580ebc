import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

/** The bytes of events, of all that were written down. */
export const findBodies = async (db: Database, org: string, ids: readonly string[]): Promise<Map<string, string>> =>
  toMap(await db.once<Body>(org, findAll(org, ids)))

/**
 * Writes the bytes of events down, of those where that was not done before, and answers what is written. One is left out
 * when the data of its run has been erased. All are one round trip and one commit.
 */
export const freezeBodies = async (
  db: Database,
  org: string,
  bodies: readonly { id: string; run: string | null; body: string }[],
): Promise<Map<string, string>> => {
  // Everybody in the same order, so that nobody waits for another in a circle.
  const keep = bodies
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, run, body }) => (run === null ? freeze(org, id, body) : freezeOfRun(org, id, body, run)))
  const ids = bodies.map(({ id }) => id)
  // The last sees what another process has written in the meantime; those before it have waited for its commit.
  const results = await db.batch(org, [...keep, findAll(org, ids)])
  return toMap(results.at(-1) as Body[])
}

type Body = { event_id: string; body: string }

const toMap = (rows: readonly Body[]): Map<string, string> =>
  new Map(rows.map(({ event_id, body }) => [event_id, body]))

const findAll = statement(
  'events.bodies',
  'select event_id, body from event_bodies where org_id = $1 and event_id = any ($2::uuid[])',
)

const freeze = statement(
  'events.freeze',
  'insert into event_bodies (event_id, org_id, body) values ($2, $1, $3) on conflict do nothing',
)

// Whoever erases the run changes its row first and deletes bodies then. The lock makes one of the two wait for the other: what
// was erased cannot come back as a body that was made before.
const freezeOfRun = statement(
  'events.freeze_of_run',
  `with kept as (
     select erased_at from runs where org_id = $1 and id = $4 for share
   )
   insert into event_bodies (event_id, org_id, body) select $2, $1, $3 from kept where erased_at is null
   on conflict do nothing`,
)
