import type { Alert, AlertSnapshot } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { recordEvent } from '../events/index.ts'
import { insertAlert, resolveAlert } from './alert.store.ts'
import { toWireAlert } from './alert.ts'
import { type AlertRuleRow, termsOf } from './alert-rule.ts'

/** Both run in the transaction that changes the rule, so that the rule, its alert and the event agree. */
export type Transitions = {
  fire(tx: Tx, rule: AlertRuleRow, fired: { alertId: string; snapshot: AlertSnapshot }): Promise<void>
  /** Has no effect if the rule does not fire. */
  resolve(tx: Tx, rule: AlertRuleRow, resolution: NonNullable<Alert['resolution']>): Promise<void>
}

export const createTransitions = ({ newId }: { newId: IdMaker }): Transitions => ({
  fire: async (tx, rule, { alertId, snapshot }) => {
    const { id: ruleId, org_id, agent_id: agentId } = rule
    const alert = await insertAlert(tx, org_id, { id: alertId, ruleId, agentId, rule: termsOf(rule), snapshot })
    const event = { id: toUuid(newId('evt')), type: 'alert.triggered', subjectId: alertId } as const
    await recordEvent(tx, org_id, { ...event, data: toWireAlert(alert) })
  },
  resolve: async (tx, { org_id, alert_id }, resolution) => {
    const alert = alert_id === null ? null : await resolveAlert(tx, org_id, { id: alert_id, resolution })
    if (!alert) return
    const event = { id: toUuid(newId('evt')), type: 'alert.resolved', subjectId: alert.id } as const
    await recordEvent(tx, org_id, { ...event, data: toWireAlert(alert) })
  },
})
