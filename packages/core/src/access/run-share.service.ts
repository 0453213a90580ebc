import {
  Answer,
  type CreatedRunShare,
  limits,
  type RunId,
  type RunShareId,
  type RunShare as WireShare,
} from '@ars/contract'
import { canonicalJson, randomBytes, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { createOnce, findReplayOf, type Once } from '../once.service.ts'
import { pageSize, toList } from '../page.ts'
import { credentialRandomBytes, formatCredential } from './credential.ts'
import {
  countShares,
  deleteShare,
  deleteSharesOfRun,
  findShare,
  insertShare,
  listShares,
  lockShares,
} from './run-share.store.ts'
import { newShareToWire, requireShareRoom, shareToWire } from './run-share.ts'
import { isKnownRun } from './session-token.store.ts'

/** Links with which anyone can read one run. */
export type RunShareService = {
  /** The token and the link are part of this response only. */
  create(ctx: Sharer, asked: AskedShare, run: SharedRun): Promise<Answer<CreatedRunShare>>
  /** The link of an earlier request with the same key, without its token, or null. */
  findReplay(ctx: Sharer, asked: AskedShare, run: SharedRun): Promise<Answer<CreatedRunShare> | null>
  list(ctx: Pick<Ctx, 'org'>, page: ListShares, run: SharedRun): Promise<ReturnType<typeof toList<WireShare>>>
  revoke(ctx: Sharer, asked: { share_id: RunShareId }, run: SharedRun): Promise<WireShare>
  /** Ends all links to a run whose data is erased. Answers how many. */
  endOfRun(tx: Tx, org: string, runId: string): Promise<number>
  /** After the commit: every process drops what it cached about the links to this run (a UUID). */
  forget(runId: string): void
}

/** A run that the caller may touch. */
type SharedRun = { readonly id: RunId; readonly uuid: string }
type AskedShare = { expires_in_seconds?: number | undefined }
type Sharer = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId' | 'idempotencyKey'>
type ListShares = { limit?: number | undefined; after?: RunShareId | undefined; before?: RunShareId | undefined }

type Deps = {
  app: Database
  newId: IdMaker
  forget: (uuid: string) => void
  publicUrl: string
  sessionTokens?: 'on' | 'off' | undefined
}

export const createRunShares = (deps: Deps): RunShareService => {
  const { app, newId } = deps

  const record = (tx: Tx, ctx: Sharer, act: Parameters<typeof auditOf>[2]): Promise<void> =>
    recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))

  const onceOf = (ctx: Sharer, asked: AskedShare, run: SharedRun): Once<CreatedRunShare> => {
    const seconds = asked.expires_in_seconds ?? limits.shareDefaultSeconds
    const id = toUuid(newId('shr'))
    return {
      thing: 'run_share',
      fingerprint: sha256(canonicalJson({ run: run.id, seconds })),
      id,
      replay: async (found) => {
        const share = await findShare(app, ctx.org, { runId: run.uuid, id: found })
        if (!share) throw noSuchShare(run.id, fromUuid('shr', found))
        return new Answer({ ...shareToWire(share), token: null, url: null }, {})
      },
      create: async (tx) => {
        await lockShares(tx, ctx.org)
        requireShareRoom(await countShares(tx, ctx.org, run.uuid))
        const token = formatCredential('share', randomBytes(credentialRandomBytes))
        const maker = { type: ctx.actor.type, id: toUuid(ctx.actor.id) }
        const share = await insertShare(tx, ctx.org, { id, runId: run.uuid, hash: sha256(token), seconds, maker })
        if (!share) throw new Fault('unauthorized', 'The API key is missing or invalid')
        const wire = newShareToWire(share, token, deps.publicUrl)
        const after = { share_id: wire.id, expires_at: wire.expires_at }
        await record(tx, ctx, { action: 'run.shared', subject: run.id, after })
        return new Answer(wire, {})
      },
    }
  }

  const requireOn = (): void => {
    if (deps.sessionTokens !== 'off') return
    throw new Fault('forbidden', 'The operator has switched short-lived tokens and links to runs off')
  }

  return {
    create: async (ctx, asked, run) => {
      requireOn()
      // Access to a run of the organisation does not prove that there is one.
      if (!(await isKnownRun(app, ctx.org, run.uuid))) throw new Fault('not_found', `No run ${run.id}`)
      return createOnce(app, ctx, onceOf(ctx, asked, run))
    },
    findReplay: async (ctx, asked, run) => {
      requireOn()
      return findReplayOf(app, ctx, onceOf(ctx, asked, run))
    },
    list: async ({ org }, page, run) => {
      if (!(await isKnownRun(app, org, run.uuid))) throw new Fault('not_found', `No run ${run.id}`)
      const rows = await listShares(app, org, {
        runId: run.uuid,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(shareToWire), page)
    },
    revoke: async (ctx, { share_id }, run) => {
      const id = toUuid(share_id)
      const share = await app.transaction(ctx.org, async (tx) => {
        const found = await deleteShare(tx, ctx.org, { runId: run.uuid, id })
        if (!found) throw noSuchShare(run.id, share_id)
        const { created_by, expires_at } = shareToWire(found)
        const before = { share_id, created_by, expires_at }
        await record(tx, ctx, { action: 'run.share_revoked', subject: run.id, before })
        return found
      })
      deps.forget(id)
      return shareToWire(share)
    },
    endOfRun: deleteSharesOfRun,
    forget: deps.forget,
  }
}

const noSuchShare = (run: RunId, id: string): Fault =>
  new Fault('not_found', `Run ${run} has no link ${id}; it may have expired or been revoked`)
