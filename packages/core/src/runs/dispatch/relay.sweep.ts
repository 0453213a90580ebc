import type { Database } from '@ars/platform/db/database'
import { ServiceUnknown } from '@ars/platform/durable/engine'
import type { Log } from '@ars/platform/log/log'
import { type Sweep, whilePagesAreFull } from '@ars/platform/periodic'
import { runsBounds } from '../bounds.ts'
import { runIdOf } from '../run/run.ts'
import { takeDueOrders } from './dispatch.store.ts'
import type { Dispatcher } from './dispatcher.service.ts'
import type { Registration } from './registration.service.ts'

const ordersPerPage = runsBounds.wakeupsTogether.count
/** In a log line about orders that could not be sent. */
const runsNamed = 20

type Deps = {
  system: Database
  dispatcher: Pick<Dispatcher, 'sendNow'>
  registration: Pick<Registration, 'ensure'>
  log: Log
  relayAfterMs: number
}

/** Sends orders from the outbox that the gateway did not send or the engine did not acknowledge. */
export const relaySweep = (deps: Deps): Sweep => ({
  name: 'relay',
  everyMs: 500,
  run: () => whilePagesAreFull(ordersPerPage, () => sendPage(deps)),
})

/** Returns how many were sent: after a failure the engine gets no further page. */
const sendPage = async (deps: Deps): Promise<number> => {
  const orders = await takeDueOrders(deps.system, { limit: ordersPerPage, againAfterMs: deps.relayAfterMs })
  const results = await Promise.allSettled(orders.map((order) => deps.dispatcher.sendNow(order)))
  const failures = orders.flatMap((order, at) => {
    const result = results[at]
    return result?.status === 'rejected' ? [{ order, error: result.reason as unknown }] : []
  })
  if (failures.length > 0)
    deps.log.warn('relay could not send', {
      orders: failures.length,
      run_ids: failures.slice(0, runsNamed).map(({ order }) => runIdOf(order.run)),
      error: failures[0]?.error,
    })
  if (failures.some(({ error }) => error instanceof ServiceUnknown)) await deps.registration.ensure()
  return orders.length - failures.length
}
