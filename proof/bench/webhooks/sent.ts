import type { Feeder } from './feeder.ts'

/** What the database says of all that was sent. */
export type Sent = {
  events: number
  deliveries: number
  succeeded: number
  attempts: number
  synchronousCommit: string
  fsync: string
}

/** Every event is one delivery that was acknowledged at its first attempt. */
export const isAllAcknowledged = ({ events, deliveries, succeeded, attempts }: Sent): boolean =>
  deliveries === events && succeeded === events && attempts === events

export const readSent = async ({ feeder }: { feeder: Feeder }): Promise<Sent> => {
  const [sent] = await feeder.query<Sent>(
    `select (select count(*)::integer from events) as events,
            (select count(*)::integer from deliveries) as deliveries,
            (select count(*)::integer from deliveries where status = 'succeeded') as succeeded,
            (select count(*)::integer from delivery_attempts) as attempts,
            current_setting('synchronous_commit') as "synchronousCommit", current_setting('fsync') as fsync`,
  )
  if (!sent) throw new Error('the database does not answer')
  return sent
}
