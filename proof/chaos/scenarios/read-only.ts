import { waitFor } from '../../lab/condition.ts'
import { withClient } from '../../lab/stack/sql.ts'
import { scenario } from '../scenario.ts'
import { playUnwritable } from './cannot-write.ts'

type Size = { seconds: number; perSecond: number }

/** Postgres becomes read-only, as a provider makes it when the disk is nearly full, and as an old primary is. */
export const readOnly = scenario<Size>({
  name: 'read-only',
  promise:
    'A read-only Postgres is named to callers, probes, alerts and doctor, loses nothing, and heals without a restart.',
  sizes: { ci: { seconds: 15, perSecond: 10 }, full: { seconds: 120, perSecond: 30 } },
  play: (stage, size) =>
    playUnwritable(stage, {
      ...size,
      reason: 'database_read_only',
      unready: /^503 .*is read-only/,
      advice: /read-only/,
      begin: async (create) => {
        const set = (statement: string) =>
          withClient(stage.fleet.stack.postgres.superuserUrl('ars'), async (client) => {
            await client.query(statement)
            await client.query('select pg_reload_conf()')
          })
        await set('alter system set default_transaction_read_only = on')
        let tries = 0
        await waitFor('a refusal because nothing is written', async () => (await create(tries++)) !== '', {
          timeoutMs: 30_000,
          everyMs: 50,
        })
        return () => set('alter system reset default_transaction_read_only')
      },
    }),
})
