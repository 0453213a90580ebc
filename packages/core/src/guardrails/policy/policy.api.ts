import type { AttachPolicy, CreatePolicy, contract, Handlers } from '@ars/contract'
import type { Ctx } from '../../ctx.ts'
import { pageSize, toList } from '../../page.ts'
import type { Replays } from '../../replay.ts'
import type { AttachmentService } from './attachment.service.ts'
import type { PolicyService } from './policy.service.ts'
import { templates } from './template.ts'
import { getTemplate, toWireTemplate } from './template-params.ts'

export const policyApi = (
  policies: PolicyService,
  attachments: AttachmentService,
): Handlers<typeof contract.policies, Ctx> => ({
  list: (ctx, page) => policies.list(ctx, page),
  create: (ctx, body) => policies.create(ctx, body),
  get: (ctx, { id }) => policies.get(ctx, id),
  update: (ctx, body) => policies.update(ctx, body),
  archive: (ctx, { id }) => policies.archive(ctx, id),
  versions: (ctx, page) => policies.versions(ctx, page),
  attachments: (ctx, page) => attachments.list(ctx, page),
  attach: (ctx, body) => attachments.attach(ctx, body),
  detach: (ctx, asked) => attachments.detach(ctx, asked),
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
  'policies.create': (ctx, body: CreatePolicy) => policies.findReplay(ctx, body),
  'policies.attach': (ctx, body: AttachPolicy) => attachments.findReplay(ctx, body),
})
