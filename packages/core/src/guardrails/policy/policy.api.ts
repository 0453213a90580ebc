import type { AttachPolicy, CreatePolicy, contract, Handlers } from '@ars/contract'
import type { Ctx } from '../../ctx.ts'
import { pageSize, toList } from '../../page.ts'
import type { Replays } from '../../replay.ts'
import { requireWholeOrganisation } from '../../whole-organisation.ts'
import type { AttachmentService } from './attachment.service.ts'
import type { PolicyService } from './policy.service.ts'
import { templates } from './template.ts'
import { getTemplate, toWireTemplate } from './template-params.ts'

/** A policy can judge every run, so a credential for a part of the organisation neither reads nor changes it. */
const whole = (ctx: Ctx): Ctx => {
  requireWholeOrganisation(ctx)
  return ctx
}

export const policyApi = (
  policies: PolicyService,
  attachments: AttachmentService,
): Handlers<typeof contract.policies, Ctx> => ({
  list: async (ctx, page) => policies.list(whole(ctx), page),
  create: async (ctx, body) => policies.create(whole(ctx), body),
  get: async (ctx, { id }) => policies.get(whole(ctx), id),
  update: async (ctx, body) => policies.update(whole(ctx), body),
  archive: async (ctx, { id }) => policies.archive(whole(ctx), id),
  versions: async (ctx, page) => policies.versions(whole(ctx), page),
  attachments: async (ctx, page) => attachments.list(whole(ctx), page),
  attach: async (ctx, body) => attachments.attach(whole(ctx), body),
  detach: async (ctx, asked) => attachments.detach(whole(ctx), asked),
})

export const policyTemplateApi = (): Handlers<typeof contract.policyTemplates, Ctx> => ({
  list: async (_ctx, page) => {
    const { after, before } = page
    const wanted = byKey.filter(
      ({ key }) => (after === undefined || key > after) && (before === undefined || key < before),
    )
    const near = (before === undefined ? wanted : wanted.toReversed()).slice(0, pageSize(page) + 1)
    return toList(near.map(toWireTemplate), page)
  },
  get: async (_ctx, { key }) => toWireTemplate(getTemplate(key)),
})

const byKey = templates.toSorted((one, other) => (one.key < other.key ? -1 : 1))

/** The responses to repeated requests. */
export const policyReplays = (policies: PolicyService, attachments: AttachmentService): Replays => ({
  'policies.create': async (ctx, body: CreatePolicy) => policies.findReplay(whole(ctx), body),
  'policies.attach': async (ctx, body: AttachPolicy) => attachments.findReplay(whole(ctx), body),
})
