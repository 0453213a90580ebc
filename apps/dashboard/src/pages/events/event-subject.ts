import type { Event } from '@agent-run-service/sdk'

/** The id of the thing that an event is about; null if its data names none. */
export const subjectOf = ({ data }: Pick<Event, 'data'>): string | null => {
  const fields = data as Readonly<Record<string, unknown>>
  const id = fields.id ?? fields.agent_id ?? fields.connector_id ?? fields.webhook_id ?? fields.policy_id
  return typeof id === 'string' ? id : null
}
