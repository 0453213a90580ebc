import type { Stack } from '@ars/tools/dev/stack'
import type { Watched } from '../../../lab/measure/cpu.ts'
import { logLevel, openFreshStack } from '../../../lab/stack/fresh-stack.ts'
import { makePartitions } from '../../../lab/stack/partitions.ts'
import { withClient } from '../../../lab/stack/sql.ts'
import { plantOrganisations, type Seed } from '../organisations.ts'
import type { Target } from '../protocol.ts'
import { serviceTarget } from '../subject.ts'
import type { ManyOptions } from './options.ts'

/** Two gateways and two workers on one Postgres, Redis and engine, and how the organisations call them. */
export type ManySubject = {
  readonly stack: Stack
  /** `refused`: has used its calls of the month. `limited`: its rate limit refuses it first. */
  readonly targets: Readonly<Record<'others' | 'refused' | 'limited', Target>>
  readonly watched: Watched
  readonly logFiles: readonly string[]
  /** Stops everything and deletes the data. */
  stop(): Promise<void>
}

export const startManySubject = async (
  { dir, organisations }: Pick<ManyOptions, 'dir' | 'organisations'>,
  base: number,
): Promise<ManySubject> => {
  const { stack, dispose } = await openFreshStack({ dir, base })
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    await makePartitions(stack)
    const all = await plantOrganisations(stack, seed, organisations + 2)
    const [refused, limited] = all.slice(-2) as [Seed, Seed]
    await useUpCalls(stack, [refused, limited])
    await limitRate(stack, limited)
    const env = { ARS_LOG_LEVEL: logLevel }
    const pair = (role: 'gateway' | 'worker') => ([1, 2] as const).map((index) => stack.server({ role, index, env }))
    const servers = { gateways: pair('gateway'), workers: pair('worker') }
    const started = [...servers.gateways, ...servers.workers]
    await Promise.all(started.map((each) => each.start()))
    const origins = servers.gateways.map(({ url }) => url ?? '')
    const refusal = { origins, status: 429, expect: '"error"' }
    const [gateway1, gateway2] = servers.gateways
    const [worker1, worker2] = servers.workers
    return {
      stack,
      targets: {
        others: { ...serviceTarget(stack, seed, all.slice(0, organisations)), origins },
        refused: { ...serviceTarget(stack, refused), ...refusal, expect: 'quota_exceeded' },
        limited: { ...serviceTarget(stack, limited), ...refusal },
      },
      watched: {
        'gateway 1': () => gateway1?.pid(),
        'gateway 2': () => gateway2?.pid(),
        'worker 1': () => worker1?.pid(),
        'worker 2': () => worker2?.pid(),
        postgres: stack.postgres.pid,
        redis: stack.redis.pid,
        restate: stack.restate.pid,
      },
      logFiles: started.map(({ logFile }) => logFile),
      stop: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** One call in each shard of the quota, and all of them are used. */
const useUpCalls = async (stack: Stack, organisations: readonly Seed[]): Promise<void> => {
  const ids = organisations.map(({ organisation }) => organisation)
  await withClient(stack.postgres.superuserUrl('ars'), async (client) => {
    await client.query('update organisations set calls_per_month = 32 where id = any ($1)', [ids])
    await client.query(
      `insert into call_counts (org_id, month, slot, calls)
       select org_id, date_trunc('month', app_now() at time zone 'utc')::date, slot, 1
         from unnest($1::uuid[]) as o (org_id), generate_series(0, 31) as slot`,
      [ids],
    )
  })
}

const limitRate = async (stack: Stack, { organisation }: Seed): Promise<void> => {
  await withClient(stack.postgres.superuserUrl('ars'), (client) =>
    client.query('update organisations set requests_per_minute = 1, burst = 1 where id = $1', [organisation]),
  )
}
