import { type CreateSessionToken, limits, type RunId, type SessionToken } from '@ars/contract'
import { randomBytes, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { credentialRandomBytes, formatCredential } from './credential.ts'
import { parseScopes, requireGrantable } from './grant.ts'
import { insertToken, isKnownRun } from './session-token.store.ts'

export type SessionTokenService = {
  /** The full token is part of this response only. */
  create(ctx: Maker, body: Omit<CreateSessionToken, 'run_id'>, run: TokenRun | null): Promise<SessionToken>
}

/** A run that the creator may use. */
export type TokenRun = { readonly id: RunId; readonly uuid: string }

type Maker = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId' | 'sessionId' | 'scopes' | 'agentIds' | 'isDemo'>

type Deps = { app: Database; newId: IdMaker; sessionTokens?: 'on' | 'off' | undefined }

export const createSessionTokens = (deps: Deps): SessionTokenService => ({
  create: async (ctx, body, run) => {
    if (deps.sessionTokens === 'off') throw new Fault('forbidden', 'The operator has switched short-lived tokens off')
    const scopes = parseScopes(body.scopes)
    requireGrantable(ctx, {
      scopes,
      agentIds: ctx.agentIds && [...ctx.agentIds],
      kind: ctx.isDemo ? 'demo' : 'live',
    })
    if (run !== null && !(await isKnownRun(deps.app, ctx.org, run.uuid))) {
      throw new Fault('not_found', `No run ${run.id}`, { param: 'run_id' })
    }
    const token = formatCredential('st', randomBytes(credentialRandomBytes))
    const id = deps.newId('tok')
    const expiresAt = await deps.app.transaction(ctx.org, async (tx) => {
      const inserted = await insertToken(tx, ctx.org, {
        id: toUuid(id),
        hash: sha256(token),
        scopes,
        runId: run?.uuid ?? null,
        seconds: body.expires_in ?? limits.sessionTokenDefaultSeconds,
        parent:
          ctx.sessionId === null
            ? { type: 'key', id: toUuid(ctx.actor.id) }
            : { type: 'session', id: toUuid(ctx.sessionId) },
      })
      if (!inserted) throw new Fault('unauthorized', 'The API key is missing or invalid')
      const after = { scopes, run_id: run?.id ?? null, expires_at: inserted.toISOString() }
      const act = { action: 'session_token.created', subject: id, after }
      await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(deps.newId('aud')), act))
      return inserted
    })
    return {
      object: 'session_token',
      token,
      scopes,
      run_id: run?.id ?? null,
      expires_at: expiresAt.toISOString(),
    }
  },
})
