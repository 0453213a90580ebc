import { waitFor } from '../lab/condition.ts'
import { rareScenarios } from './rare-scenarios.ts'
import { asSuperuser, at, nothing, type Scenario, slots, type World } from './scenario.ts'

export const scenarios: readonly Scenario[] = [
  {
    name: 'Redis stops',
    alerts: ['ArsRedisDown'],
    cause: ({ stack }) => stack.redis.stop(),
    cure: ({ stack }) => stack.redis.start(),
  },
  {
    name: 'the engine stops while a run is created',
    alerts: ['ArsEngineDown', 'ArsPartitionSilent', 'ArsRunsDoNotStart'],
    cause: async ({ stack, createRun }) => {
      await stack.restate.stop()
      await createRun('test-echo', { query: 'waits' })
    },
    cure: ({ stack }) => stack.restate.start(),
  },
  {
    name: 'Postgres stops while requests arrive',
    alerts: ['ArsDatabaseDown', 'ArsRequestsFail', 'ArsSweepStale'],
    cause: ({ stack }) => stack.postgres.stop(),
    meanwhile: async ({ createRun }) => {
      await createRun('test-echo', { query: 'refused' })
      await at(200)
    },
    cure: async ({ stack, gateway, worker }) => {
      await stack.postgres.start()
      // Probes make idle pools connect again; without them a pool counts as down until its next use.
      for (const { metricsUrl } of [gateway, worker])
        await waitFor(`${metricsUrl} to be ready`, async () => (await fetch(`${metricsUrl}/readyz`)).ok, {
          timeoutMs: 60_000,
        })
    },
  },
  {
    name: 'the only worker stops',
    alerts: ['ArsNoWorker'],
    cause: ({ worker }) => worker.stop(),
    cure: ({ worker }) => worker.start(),
  },
  {
    name: 'the only gateway stops',
    alerts: ['ArsNoGateway', 'ArsProcessDown'],
    cause: ({ gateway }) => gateway.stop(),
    cure: ({ gateway }) => gateway.start(),
  },
  {
    name: 'a provider answers every call with an error',
    alerts: ['ArsModelErrors'],
    cause: nothing,
    meanwhile: async ({ createRun }) => {
      await createRun('test-fail', { code: 'model_error' })
      await at(200)
    },
    cure: async ({ createRun }) => {
      for (let n = 0; n < 60; n++) await createRun('test-echo', { query: 'works' })
    },
  },
  {
    name: 'more slow runs arrive than there are slots',
    alerts: ['ArsSlotsFull'],
    cause: async ({ createRun }) => {
      for (let n = 0; n < 4 * slots; n++) await createRun('test-slow', { seconds: 12 })
    },
    cure: nothing,
  },
  {
    name: 'Postgres becomes read-only',
    alerts: ['ArsDatabaseCannotWrite'],
    cause: ({ stack }) => setReadOnly(stack, 'set default_transaction_read_only = on'),
    cure: ({ stack }) => setReadOnly(stack, 'reset default_transaction_read_only'),
  },
  {
    name: 'a table is locked while requests arrive',
    alerts: ['ArsPoolBusy'],
    cause: nothing,
    meanwhile: async (world) => {
      await withLock(world, async () => {
        // Reads, because concurrent writes share few connections.
        await Promise.all(Array.from({ length: 40 }, () => world.call('GET', '/v2/runs').catch(() => null)))
      })
    },
    cure: nothing,
  },
  {
    name: 'the worker gets half of the CPU time that it needs',
    alerts: ['ArsEventLoopLate'],
    cause: nothing,
    meanwhile: async ({ worker }) => {
      worker.freeze()
      await at(400)
      worker.thaw()
      await at(300)
    },
    cure: nothing,
  },
  {
    name: 'the partitions of the next days are missing',
    alerts: ['ArsPartitionsEnd'],
    cause: ({ stack }) =>
      asSuperuser(stack, async (client) => {
        const { rows } = await client.query<{ name: string }>(
          `select c.oid::regclass::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'runs'::regclass
              and to_date(substring(c.relname from '_p([0-9]{8})'), 'YYYYMMDD') > (now() at time zone 'utc')::date`,
        )
        for (const { name } of rows) await client.query(`drop table ${name}`)
      }),
    cure: async ({ stack }) => {
      await stack.command(['admin', 'partitions'])
    },
  },
  ...rareScenarios,
]

/** Alerts that no scenario causes, and what shows that they work. */
export const causedElsewhere: Readonly<Record<string, string>> = {
  ArsLogNotWritten: 'chaos-log-full',
  ArsDiskFills: 'the cases of the rule; a disk needs hours to be predicted',
  ArsPeerCertificateExpires: 'the cases of the rule',
  ArsTransactionIdsEnd: 'the cases of the rule; 1,500 million transactions take days',
  ArsReplicationBehind: 'the cases of the rule; the metric is in apps/server/test/metrics.test.ts',
  ArsBackupOld: 'proof/drill/backup.slow.test.ts: the metric and doctor',
  ArsArchiveOld: 'proof/drill/backup.slow.test.ts: the metric and doctor',
}

const setReadOnly = (stack: World['stack'], change: string): Promise<void> =>
  asSuperuser(stack, async (client) => {
    await client.query(`alter system ${change}`)
    await client.query('select pg_reload_conf()')
  })

const withLock = ({ stack }: World, work: () => Promise<void>): Promise<void> =>
  asSuperuser(stack, async (client) => {
    await client.query('begin')
    await client.query('lock table run_heads in access exclusive mode')
    await work()
    await client.query('rollback')
  })
