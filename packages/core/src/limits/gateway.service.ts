import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { startSweeps } from '@ars/platform/periodic'
import { noteGateway, removeGateway } from './gateway.store.ts'

const heartbeatMs = 5_000

/** Reports every few seconds that this gateway is alive, and reads how many are. */
export const startHeartbeat = ({ feedReads, newId, log }: { feedReads: Database; newId: IdMaker; log: Log }) => {
  const id = toUuid(newId('gw'))
  let gateways = 1
  const beat = async (): Promise<void> => {
    gateways = await noteGateway(feedReads, id)
  }
  const sweeps = startSweeps([{ name: 'gateways', everyMs: heartbeatMs, run: beat }], log)
  return {
    /** The number of gateways, including this one; the last known number while the database is unavailable. */
    gateways: () => gateways,
    close: async () => {
      await sweeps.close()
      // The database stops counting this gateway some seconds later.
      await removeGateway(feedReads, id).catch(() => undefined)
    },
  }
}
