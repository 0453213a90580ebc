import { join } from 'node:path'
import { waitFor } from '../../lab/condition.ts'
import { fillDisk } from '../../lab/stack/small-disk.ts'
import { withClient } from '../../lab/stack/sql.ts'
import { scenario } from '../scenario.ts'
import { playUnwritable } from './cannot-write.ts'

type Size = { seconds: number; perSecond: number }

const leaveBytes = 2 * 1024 * 1024

/** Somebody fills the disk of Postgres, and frees it later. */
export const diskFull = scenario<Size>({
  name: 'disk-full',
  promise:
    'A full disk of Postgres is named to callers, probes, alerts and doctor, loses nothing, and heals without a restart.',
  smallDisks: { postgres: 400 },
  // If Postgres finds no space for its log, it stops, and starts again when it finds some.
  expectsCrashes: true,
  sizes: { ci: { seconds: 20, perSecond: 10 }, full: { seconds: 300, perSecond: 30 } },
  play: (stage, size) =>
    playUnwritable(stage, {
      ...size,
      reason: 'disk_full',
      unready: /^503 .*finds no space on the disk/,
      advice: /disk.*is full/i,
      begin: async (create) => {
        const { postgres } = stage.fleet.stack
        const folder = join(stage.fleet.stack.dir, 'postgres')
        // The log has its files before, as it has after days of work.
        await withClient(postgres.superuserUrl('ars'), (client) => client.query('checkpoint'))
        const free = fillDisk(folder, { leave: leaveBytes })
        let tries = 0
        await waitFor('a refusal because of the disk', async () => (await create(tries++)) === 'disk_full', {
          timeoutMs: 120_000,
          everyMs: 0,
        })
        return async () => free()
      },
    }),
})
