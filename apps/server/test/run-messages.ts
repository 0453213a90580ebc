import { toUuid } from '@ars/platform/id'
import type { App } from './app.ts'

/** The messages to a run, in order of sending. */
export const messagesOf = async (app: App, id: string) => {
  const rows = await app.query<{ message: string }>(
    'select message from run_messages where run_id = $1 order by number',
    [toUuid(id as `run_${string}`)],
  )
  return rows.map(({ message }) => message)
}

/** How many of them the run has not read. */
export const unreadOf = async (app: App, id: string) => {
  const [row] = await app.query<{ unread: number }>(
    `select (select count(*) from run_messages where run_id = $1)::integer
            - (select coalesce(max(messages_read), 0) from run_steps where run_id = $1 and kind = 'model')::integer as unread`,
    [toUuid(id as `run_${string}`)],
  )
  return row?.unread
}
