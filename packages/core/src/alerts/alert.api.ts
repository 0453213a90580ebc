import type { CreateAlertRule, contract, Handlers } from '@ars/contract'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import type { Replays } from '../replay.ts'
import type { AlertService } from './alert.service.ts'
import type { AlertRuleService } from './alert-rule.service.ts'

type Things = { agents: AllowedAgents }

export const alertRuleApi = (rules: AlertRuleService): Handlers<typeof contract.alertRules, Ctx, Things> => ({
  list: (ctx, page, within) => rules.list(ctx, page, within),
  create: (ctx, body, within) => rules.create(ctx, body, within),
  get: (ctx, { id }, within) => rules.get(ctx, id, within),
  update: (ctx, body, within) => rules.update(ctx, body, within),
  delete: (ctx, { id }, within) => rules.delete(ctx, id, within),
  test: (ctx, { id }, within) => rules.test(ctx, id, within),
  preview: (ctx, body, within) => rules.preview(ctx, body, within),
})

export const alertApi = (alerts: AlertService): Handlers<typeof contract.alerts, Ctx, Things> => ({
  list: (ctx, page, within) => alerts.list(ctx, page, within),
  get: (ctx, { id }, within) => alerts.get(ctx, id, within),
})

/** The responses to repeated requests. */
export const alertReplays = (rules: AlertRuleService): Replays => ({
  'alertRules.create': ((ctx, body: CreateAlertRule, within: AllowedAgents) =>
    rules.findReplay(ctx, body, within)) as Replays[string],
})
