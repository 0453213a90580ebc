import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { startSweeps } from '@ars/platform/periodic'
import { noteGateway, removeGateway } from './gateway.store.ts'

const heartbeatMs = 5_000

/** Says every few seconds that this gateway lives, and learns how many do. */
export const startHeartbeat = ({ system, newId, log }: { system: Database; newId: IdMaker; log: Log }) => {
  const id = toUuid(newId('gw'))
  let gateways = 1
  const beat = async (): Promise<void> => {
    gateways = await noteGateway(system, id)
  }
  const sweeps = startSweeps([{ name: 'gateways', everyMs: heartbeatMs, run: beat }], log)
  return {
    /** This one too; what was last heard while the database is away. */
    gateways: () => gateways,
    close: async () => {
      await sweeps.close()
      // A database that is away counts this gateway out by itself, some seconds later.
      await removeGateway(system, id).catch(() => undefined)
    },
  }
}
