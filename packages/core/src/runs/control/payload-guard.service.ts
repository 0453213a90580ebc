import type { Database } from '@ars/platform/db/database'
import type { Ctx } from '../../ctx.ts'
import type { Fault } from '../../fault.ts'
import { type Guards, refusalOf } from '../../guardrails/index.ts'
import type { SecretService } from '../../secrets/index.ts'
import { createCheckSpend } from '../run/check-spend.service.ts'
import type { CheckSpend } from '../run/check-spend.ts'
import { findRunPolicies } from '../run/redaction.store.ts'
import { tokensOfRun } from '../run/tokens-of-run.service.ts'

type Payload = { payload?: unknown; comment?: string | undefined }

/** `shown`: the parts of the payload that are stored. `fault`: a policy forbids it, which counts only if the request is no replay. */
export type GuardedPayload = { shown: Payload; fault: Fault | null; checkSpend: CheckSpend | null }

/** Policies judge what people send to a run. */
export const createPayloadGuard = ({
  app,
  guards,
  secrets,
}: {
  app: Database
  guards: Guards
  secrets: SecretService
}) => ({
  judge: async (ctx: Ctx, run: string, { payload, comment }: Payload): Promise<GuardedPayload> => {
    const nothing = { shown: {}, fault: null, checkSpend: null }
    const spend = createCheckSpend()
    if (payload === undefined && comment === undefined) return nothing
    const { org } = ctx
    const known = await findRunPolicies(app, org, run)
    if (!known || (known.policy_set_id === null && ctx.policySetId === null)) return nothing
    const guard = await guards.open({
      org,
      pinned: known.policy_set_id,
      current: ctx.policySetId,
      agent: { id: known.agent_id, version: known.agent_version },
      key: known.policy_key_id,
      tokens: tokensOfRun({ app, secrets }, org, run),
      note: () => undefined,
      onSpent: spend.note,
    })
    const verdict = await guard?.check('action_payload', { payload, comment })
    if (verdict?.kind === 'block' || verdict?.kind === 'ask') return { ...nothing, fault: refusalOf(verdict.finding) }
    const judged = { ...nothing, checkSpend: spend.total() }
    return verdict?.kind === 'redact' ? { ...judged, shown: verdict.content as Payload } : judged
  },
})
