import {
  type AgentId,
  Answer,
  type ApiKeyId,
  type AttachPolicy,
  contract,
  limits,
  type PolicyAttachmentId,
  type PolicyId,
  type PolicyAttachment as WireAttachment,
} from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { AgentAccess } from '../../agent-access.ts'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { createOnce, findReplayOf, type Once } from '../../once.service.ts'
import { pageSize, toList } from '../../page.ts'
import { requireStored } from '../../whole-organisation.ts'
import {
  countAttachments,
  deleteAttachment,
  findAttachment,
  insertAttachment,
  listAttachments,
} from './attachment.store.ts'
import { isSending, noSuchPolicy, type PolicyAdmin, requireOpen } from './policy.service.ts'
import { findPolicy, readPolicy } from './policy.store.ts'
import { type AttachmentRow, type SubjectType, subjectIdOf, toWireAttachment } from './policy.ts'
import { recordChange } from './policy-change.service.ts'
import { changePolicies } from './policy-set.service.ts'

export type AttachmentService = {
  list(ctx: Pick<Ctx, 'org'>, page: ListAttachments): Promise<ReturnType<typeof toList<WireAttachment>>>
  /** An attachment that exists is answered as it is. */
  attach(ctx: Author, body: AttachPolicy): Promise<Answer<WireAttachment>>
  /** The response to an identical earlier `attach`, or null. */
  findReplay(ctx: Author, body: AttachPolicy): Promise<Answer<WireAttachment> | null>
  /** Answers the attachment that was removed. */
  detach(ctx: PolicyAdmin, asked: { id: PolicyId; attachment_id: PolicyAttachmentId }): Promise<WireAttachment>
}

type Author = PolicyAdmin & AgentAccess & Pick<Ctx, 'idempotencyKey'>

type ListAttachments = {
  id: PolicyId
  limit?: number | undefined
  after?: PolicyAttachmentId | undefined
  before?: PolicyAttachmentId | undefined
}

type Deps = {
  app: Database
  newId: IdMaker
  /** The resolver of the agents slice. */
  agents: { get(ctx: AgentAccess, id: AgentId): Promise<{ id: string }> }
  /** The UUID of the first key that this key was rotated from, or of the key. */
  keys: { rootOf(org: string, id: ApiKeyId): Promise<string> }
  onChanged(org: string): void
}

export const createAttachments = ({ app, newId, agents, keys, onChanged }: Deps): AttachmentService => {
  /** The UUID of an agent or a key; a missing one is refused with the name of the field. */
  const named = (found: Promise<string>): Promise<string> =>
    found.catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code === 'unavailable') throw error
      throw new Fault(error.code, error.message, { param: 'subject_id' })
    })

  const subjectOf = async (ctx: Author, id: AttachPolicy['subject_id']): Promise<Subject> => {
    if (isAgentId(id))
      return { subjectType: 'agent', subjectId: await named(agents.get(ctx, id).then((agent) => agent.id)) }
    if (isKeyId(id)) return { subjectType: 'api_key', subjectId: await named(keys.rootOf(ctx.org, id)) }
    if (toUuid(id) !== ctx.org) throw new Fault('not_found', `No organisation ${id}`, { param: 'subject_id' })
    return { subjectType: 'organisation', subjectId: ctx.org }
  }

  const repetitionOf = (
    ctx: Author,
    body: AttachPolicy,
  ): Pick<Once<WireAttachment>, 'thing' | 'fingerprint' | 'replay'> => ({
    thing: 'policy_attachment',
    fingerprint: sha256(canonicalJson(body)),
    // By the subject: the first request may have found an attachment that existed before.
    replay: async () => {
      const { subjectId } = await subjectOf(ctx, body.subject_id)
      const row = await findAttachment(app, ctx.org, { policyId: toUuid(body.id), subjectId })
      if (!row) throw new Fault('not_found', 'The policy has been detached since')
      return answer(row)
    },
  })

  const attach = async (ctx: Author, body: AttachPolicy): Promise<Answer<WireAttachment>> => {
    const repetition = repetitionOf(ctx, body)
    const replay = await findReplayOf(app, ctx, repetition)
    if (replay) return replay
    const policyId = toUuid(body.id)
    requireOpen(await findPolicy(app, ctx.org, policyId), body.id)
    const subject = await subjectOf(ctx, body.subject_id)
    const id = toUuid(newId('pat'))
    const attached = await createOnce(app, ctx, {
      ...repetition,
      id,
      create: (tx) =>
        changePolicies(tx, ctx.org, newId, async () => {
          const policy = requireOpen(await readPolicy(tx, ctx.org, policyId), body.id)
          if (isSending(policy.rules)) requireStored(ctx, contract.policies.attach, 'policy_that_sends')
          if ((await countAttachments(tx, ctx.org)) >= limits.policyAttachmentsPerOrganisation) throw tooMany()
          const asked = { id, policyId, ...subject, newRunsOnly: body.new_runs_only }
          const { isNew, ...row } = await insertAttachment(tx, ctx.org, asked)
          if (isNew) {
            const after = { subject_id: subjectIdOf(row), new_runs_only: row.new_runs_only }
            await recordChange(tx, ctx, newId, { policy, change: 'attached', subjectId: subjectIdOf(row), after })
          }
          return answer(row)
        }),
    })
    onChanged(ctx.org)
    return attached
  }

  return {
    list: async ({ org }, page) => {
      const policyId = toUuid(page.id)
      if (!(await findPolicy(app, org, policyId))) throw noSuchPolicy(policyId)
      const rows = await listAttachments(app, org, {
        policyId,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(toWireAttachment), page)
    },
    attach,
    findReplay: (ctx, body) => findReplayOf(app, ctx, repetitionOf(ctx, body)),
    detach: async (ctx, { id, attachment_id }) => {
      const removed = await app.transaction(ctx.org, (tx) =>
        changePolicies(tx, ctx.org, newId, async () => {
          const policy = await readPolicy(tx, ctx.org, toUuid(id))
          if (!policy) throw noSuchPolicy(toUuid(id))
          const row = await deleteAttachment(tx, ctx.org, { policyId: policy.id, id: toUuid(attachment_id) })
          if (!row) throw new Fault('not_found', `No attachment ${attachment_id} of policy ${id}`)
          const before = { subject_id: subjectIdOf(row), new_runs_only: row.new_runs_only }
          await recordChange(tx, ctx, newId, { policy, change: 'detached', subjectId: subjectIdOf(row), before })
          return row
        }),
      )
      onChanged(ctx.org)
      return toWireAttachment(removed)
    },
  }
}

type Subject = { subjectType: SubjectType; subjectId: string }

const isAgentId = (id: string): id is AgentId => id.startsWith('ag_')
const isKeyId = (id: string): id is ApiKeyId => id.startsWith('key_')

const tooMany = (): Fault =>
  new Fault('limit_reached', `An organisation has at most ${limits.policyAttachmentsPerOrganisation} attachments`)

const answer = (row: AttachmentRow): Answer<WireAttachment> => new Answer(toWireAttachment(row), {})
