import {
  type AgentId,
  type AlertPreview,
  type AlertRuleId,
  Answer,
  type CreateAlertRule,
  limits,
  type PreviewAlertRule,
  type UpdateAlertRule,
  type Alert as WireAlert,
  type AlertRule as WireRule,
} from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { type AgentAccess, type AllowedAgents, requireAllowedAgent } from '../agent-access.ts'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { recordEvent } from '../events/index.ts'
import { Fault } from '../fault.ts'
import { createOnce, findReplayOf, type Once } from '../once.service.ts'
import { pageSize, toList } from '../page.ts'
import { findAsOf, listMinutes } from '../usage/index.ts'
import { testAlertOf } from './alert.ts'
import {
  countRules,
  deleteRule,
  findRule,
  insertRule,
  listRules,
  lockRule,
  lockRules,
  type RuleContent,
  readRuleTime,
  updateRule,
} from './alert-rule.store.ts'
import { type AlertRuleRow, requireHistory, requireTerms, ruleAuditFacts, toWireRule } from './alert-rule.ts'
import { previewOf } from './preview.service.ts'
import { createTransitions } from './transition.service.ts'

export type AlertRuleService = {
  list(ctx: AgentAccess, page: ListRules, within: AllowedAgents): Promise<ReturnType<typeof toList<WireRule>>>
  get(ctx: Pick<Ctx, 'org'>, id: AlertRuleId, within: AllowedAgents): Promise<WireRule>
  create(ctx: Author, body: CreateAlertRule, within: AllowedAgents): Promise<Answer<WireRule>>
  /** The response to an identical earlier `create`, or null. */
  findReplay(ctx: Author, body: CreateAlertRule, within: AllowedAgents): Promise<Answer<WireRule> | null>
  update(ctx: Admin, body: UpdateAlertRule, within: AllowedAgents): Promise<WireRule>
  /** Answers the deleted rule. */
  delete(ctx: Admin, id: AlertRuleId, within: AllowedAgents): Promise<WireRule>
  /** Sends a test alert to the webhooks of the organisation. */
  test(ctx: Admin, id: AlertRuleId, within: AllowedAgents): Promise<WireAlert>
  /** When the rule would have fired over the last days. */
  preview(ctx: AgentAccess, body: PreviewAlertRule, within: AllowedAgents): Promise<AlertPreview>
}

type Admin = AgentAccess & Pick<Ctx, 'actor' | 'address' | 'requestId'>
type Author = Admin & Pick<Ctx, 'idempotencyKey'>

type ListRules = {
  limit?: number | undefined
  after?: AlertRuleId | undefined
  before?: AlertRuleId | undefined
  agent_id?: AgentId | undefined
}

type Deps = {
  app: Database
  newId: IdMaker
  /** The resolvers of the agents slice. */
  agents: {
    get(ctx: AgentAccess, id: AgentId): Promise<{ id: string }>
    allowedAgent(ctx: AgentAccess, within: AllowedAgents, id: AgentId): Promise<AllowedAgents>
  }
}

const previewDays = 7
const dayMs = 86_400_000
const minuteMs = 60_000
const staleAfterMs = 60_000

export const createAlertRules = ({ app, newId, agents }: Deps): AlertRuleService => {
  const transitions = createTransitions({ newId })

  const isStale = async (org: string): Promise<boolean> => {
    const [asOf, now] = await Promise.all([findAsOf(app, org), readRuleTime(app, org)])
    return now.getTime() - asOf.getTime() > staleAfterMs
  }
  const toWire = async (row: AlertRuleRow): Promise<WireRule> => toWireRule(row, { isStale: await isStale(row.org_id) })

  const requireRule = (row: AlertRuleRow | null, id: AlertRuleId, within: AllowedAgents): AlertRuleRow => {
    if (!row) throw new Fault('not_found', `No alert rule ${id}`)
    requireAllowedAgent(within, row.agent_id)
    return row
  }

  const audit = (tx: Tx, ctx: Admin, act: Parameters<typeof auditOf>[2]): Promise<void> =>
    recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))

  /** The UUID of the agent of a new rule, which the caller may use. */
  const agentOf = async (ctx: AgentAccess, id: AgentId | null, within: AllowedAgents): Promise<string | null> => {
    const agentId = id === null ? null : (await agents.get(ctx, id)).id
    requireAllowedAgent(within, agentId)
    return agentId
  }

  /** A request with the same key and the same fields. */
  const repetitionOf = (
    { org }: Author,
    body: CreateAlertRule,
    within: AllowedAgents,
  ): Pick<Once<WireRule>, 'thing' | 'fingerprint' | 'replay'> => ({
    thing: 'alert_rule',
    fingerprint: sha256(canonicalJson(body)),
    replay: async (found) =>
      answer(await toWire(requireRule(await findRule(app, org, found), fromUuid('alr', found), within))),
  })

  const create = async (ctx: Author, body: CreateAlertRule, within: AllowedAgents): Promise<Answer<WireRule>> => {
    const repetition = repetitionOf(ctx, body, within)
    // A retry gets its rule even if the request would be rejected by now.
    const replay = await findReplayOf(app, ctx, repetition)
    if (replay) return replay
    const agentId = await agentOf(ctx, body.agent_id, within)
    requireTerms({ ...body, agent_id: agentId })
    const stale = await isStale(ctx.org)
    const id = newId('alr')
    return createOnce(app, ctx, {
      ...repetition,
      id: toUuid(id),
      create: async (tx) => {
        await lockRules(tx, ctx.org)
        if ((await countRules(tx, ctx.org)) >= limits.alertRulesPerOrganisation)
          throw new Fault(
            'limit_reached',
            `An organisation has at most ${limits.alertRulesPerOrganisation} alert rules`,
          )
        const author = { by: toUuid(ctx.actor.id), type: ctx.actor.type }
        const row = await insertRule(tx, ctx.org, { ...body, id: toUuid(id), agent_id: agentId }, author)
        await audit(tx, ctx, { action: 'alert_rule.created', subject: id, after: ruleAuditFacts(row) })
        return answer(toWireRule(row, { isStale: stale }))
      },
    })
  }

  return {
    list: async (ctx, page, within) => {
      const rows = await listRules(app, ctx.org, {
        within: page.agent_id === undefined ? within : await agents.allowedAgent(ctx, within, page.agent_id),
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      const stale = await isStale(ctx.org)
      return toList(
        rows.map((row) => toWireRule(row, { isStale: stale })),
        page,
      )
    },
    get: async ({ org }, id, within) => toWire(requireRule(await findRule(app, org, toUuid(id)), id, within)),
    findReplay: (ctx, body, within) => findReplayOf(app, ctx, repetitionOf(ctx, body, within)),
    create,
    update: async (ctx, { id, ...body }, within) => {
      if (Object.keys(body).length === 0)
        throw new Fault('invalid_request', 'The request changes nothing: it has no fields')
      const changed = await app.transaction(ctx.org, async (tx) => {
        const before = requireRule(await lockRule(tx, ctx.org, toUuid(id)), id, within)
        const after: RuleContent = { ...before, ...given(body) }
        requireTerms(after)
        if (canonicalJson(contentOf(before)) === canonicalJson(contentOf(after))) return before
        const restarts = canonicalJson(evaluatedOf(before)) !== canonicalJson(evaluatedOf(after))
        if (restarts) await transitions.resolve(tx, before, 'rule_changed')
        const row = await updateRule(tx, ctx.org, after, { restarts })
        const facts = { before: ruleAuditFacts(before), after: ruleAuditFacts(row) }
        await audit(tx, ctx, { action: 'alert_rule.updated', subject: id, ...facts })
        return row
      })
      return toWire(changed)
    },
    delete: async (ctx, id, within) => {
      const deleted = await app.transaction(ctx.org, async (tx) => {
        const rule = requireRule(await lockRule(tx, ctx.org, toUuid(id)), id, within)
        await transitions.resolve(tx, rule, 'rule_deleted')
        await deleteRule(tx, ctx.org, rule.id)
        await audit(tx, ctx, { action: 'alert_rule.deleted', subject: id, before: ruleAuditFacts(rule) })
        return rule
      })
      return toWire({ ...deleted, state: 'ok', alert_id: null })
    },
    test: async (ctx, id, within) => {
      const at = await readRuleTime(app, ctx.org)
      return app.transaction(ctx.org, async (tx) => {
        const rule = requireRule(await lockRule(tx, ctx.org, toUuid(id)), id, within)
        const alertId = toUuid(newId('alt'))
        const alert = testAlertOf(rule, { id: alertId, at })
        const event = { id: toUuid(newId('evt')), type: 'alert.triggered', subjectId: alertId } as const
        await recordEvent(tx, ctx.org, { ...event, data: alert })
        const after = { event_id: fromUuid('evt', event.id) }
        await audit(tx, ctx, { action: 'alert_rule.tested', subject: id, after })
        return alert
      })
    },
    preview: async (ctx, body, within) => {
      const agentId = await agentOf(ctx, body.agent_id, within)
      requireTerms({ ...body, agent_id: agentId })
      requireHistory(body)
      const to = new Date(Math.floor((await findAsOf(app, ctx.org)).getTime() / minuteMs) * minuteMs)
      const from = new Date(to.getTime() - previewDays * dayMs)
      // The first windows begin before the time that is evaluated.
      const readFrom = new Date(from.getTime() - body.window_seconds * 1_000)
      const minutes = await listMinutes(app, ctx.org, { agentId, from: readFrom, to })
      return previewOf(body, minutes, { from, to })
    },
  }
}

const answer = (rule: WireRule): Answer<WireRule> =>
  new Answer(rule, { headers: { location: `/v2/alert-rules/${rule.id}` } })

/** Without the fields that were left out. */
const given = <Body extends object>(body: Body) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as {
    [Field in keyof Body]: Exclude<Body[Field], undefined>
  }

const contentOf = (rule: RuleContent) => ({ name: rule.name, severity: rule.severity, ...evaluatedOf(rule) })

/** The fields that decide when the rule fires. */
const evaluatedOf = (rule: RuleContent) => {
  const { operator, threshold, window_seconds, for_seconds, min_sample_size, enabled } = rule
  return { operator, threshold, window_seconds, for_seconds, min_sample_size, enabled }
}
