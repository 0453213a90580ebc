import { Answer } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import type { Ctx } from './ctx.ts'
import { Fault } from './fault.ts'
import { claimKey, findIdempotentReplay, type IdempotentThing } from './idempotency.store.ts'
import { requireSameRequest } from './idempotency.ts'

/** A request that creates something at most once per idempotency key. */
export type Once<Body> = {
  thing: IdempotentThing
  fingerprint: Buffer
  /** The id of the object that the request creates, or of the object that it changes. */
  id: string
  /** The response to a repeated request, by the id that the first one claimed. It contains no secret. */
  replay(id: string): Promise<Answer<Body>>
  /** Runs in the transaction that claims the key. */
  create(tx: Tx): Promise<Answer<Body>>
}

type Caller = Pick<Ctx, 'org' | 'idempotencyKey'>

/** The response to an earlier request with the same key, or null. Creates nothing. */
export const findReplayOf = async <Body>(
  app: Database,
  ctx: Caller,
  { thing, fingerprint, replay }: Pick<Once<Body>, 'thing' | 'fingerprint' | 'replay'>,
): Promise<Answer<Body> | null> => {
  const key = ctx.idempotencyKey
  const found = key === undefined ? null : await findIdempotentReplay(app, ctx.org, { thing, key })
  if (!found) return null
  requireSameRequest(found, fingerprint)
  const { body, headers } = await replay(found.subject_id)
  return new Answer(body, { headers: { ...headers, 'idempotency-replayed': 'true' } })
}

/** Creates, unless the key was used before: then the response to the earlier request. */
export const createOnce = async <Body>(app: Database, ctx: Caller, once: Once<Body>): Promise<Answer<Body>> => {
  const before = await findReplayOf(app, ctx, once)
  if (before) return before
  const created = await app.transaction(
    ctx.org,
    async (tx) => {
      const { thing, fingerprint, id } = once
      const key = ctx.idempotencyKey
      const isOurs = key === undefined || (await claimKey(tx, ctx.org, { thing, key, fingerprint, id }))
      return isOurs ? once.create(tx) : null
    },
    once.thing,
  )
  if (created) return created
  const concurrent = await findReplayOf(app, ctx, once)
  if (concurrent) return concurrent
  throw new Fault('unavailable', 'The idempotency key is contended', { reason: 'contended', retryAfterSeconds: 1 })
}
