import { readFileSync } from 'node:fs'
import { allowedAmong, onlyAgent } from '@ars/core/agent-access'
import { findRun, listRuns } from '@ars/core/runs'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { PartError } from '@ars/tools/dev/parts/part'
import type { Stack } from '@ars/tools/dev/stack'
import { Client } from 'undici'
import type { Watched } from '../../lab/measure/cpu.ts'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { withClient } from '../../lab/stack/sql.ts'
import type { Operation } from './load.ts'
import type { ListOptions } from './options.ts'
import { customers, fillRuns } from './rows.ts'

/** The service with many runs, and the calls whose cost is compared. */
export type ListSubject = {
  readonly stack: Stack
  readonly watched: Watched
  readonly sizeBytes: number
  /** In the database, over one connection of the kind that the gateway has. */
  readonly database: Record<'oneRow' | 'oneRun' | 'page1' | 'page1000' | 'failed' | 'agent' | 'label', Operation>
  /** Over HTTPS, kept alive. */
  readonly https: Record<'oneRun' | 'page1' | 'page1000', Operation>
  /** How many runs were found on the way to page 1,000, each once and in order. */
  readonly walked: number
  stop(): Promise<void>
}

/** Room for the tables in memory, so that the plans are compared and not the disk. */
export const postgresSettings = { shared_buffers: '1GB', max_wal_size: '8GB' } as const
const pageSize = 20

export const startListSubject = async (
  options: ListOptions,
  base: number,
  tell: (words: string) => void,
): Promise<ListSubject> => {
  const { dir, rows, days } = options
  const { stack, dispose } = await openFreshStack({ dir, base, postgresSettings })
  const stop = async (): Promise<void> => {
    await dispose()
  }
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    const [rare, busy] = seed.agents.map(({ id }) => toUuid(id))
    if (rare === undefined || busy === undefined) throw new PartError('the seed made no two agents')
    const { organisation } = seed
    const superuserUrl = stack.postgres.superuserUrl('ars')
    await fillRuns(superuserUrl, { organisation, agents: [rare, busy], rows, days }, tell)
    const sizeBytes = await readSize(superuserUrl)
    const gateway = stack.server({ role: 'gateway', env: { ARS_LOG_LEVEL: logLevel } })
    await gateway.start()

    const get = httpsGet(stack, seed.api_key)
    tell('Walking to page 1,000')
    const { ids, last } = await walk(get)
    const app = openDatabase({
      url: stack.postgres.url('ars_app'),
      name: 'bench',
      size: 1,
      acquireTimeoutMs: 30_000,
      log: createLog({ level: 'silent' }),
    })
    const runId = inTurn(ids)
    return {
      stack,
      sizeBytes,
      walked: ids.length,
      watched: {
        gateway: gateway.pid,
        postgres: stack.postgres.pid,
        redis: stack.redis.pid,
        restate: stack.restate.pid,
      },
      database: databaseOperations(app, { organisation, agent: busy, last: toUuid(last), uuid: () => toUuid(runId()) }),
      https: {
        oneRun: async () => expectRows(1, (await get(`/v2/runs/${runId()}`)).id ? 1 : 0),
        page1: async () => expectRows(pageSize, (await get(`/v2/runs?limit=${pageSize}`)).data.length),
        page1000: async () => expectRows(pageSize, (await get(`/v2/runs?limit=${pageSize}&after=${last}`)).data.length),
      },
      stop: async () => {
        await app.close()
        await get.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

type Seed = {
  organisation: string
  api_key: string
  agents: { id: string; name: string }[]
}

const databaseOperations = (
  app: Database,
  { organisation, agent, last, uuid }: { organisation: string; agent: string; last: string; uuid: () => string },
): ListSubject['database'] => {
  const none = { after: null, before: null, status: null, createdAfter: null, createdBefore: null }
  const within = allowedAmong({ org: organisation, agentIds: null, isDemo: false, runOwner: null }, [])
  const filters = {
    pipelineRunId: null,
    parentRunId: null,
    errorCodes: null,
    deploymentIds: null,
    creator: null,
    runIds: null,
  }
  const page = { ...none, ...filters, view: 'full' as const, within, metadata: {}, limit: pageSize + 1 }
  const list = (more: Partial<Parameters<typeof listRuns>[2]>) => async () => {
    const { runs } = await listRuns(app, organisation, { ...page, ...more }, systemClock.now())
    expectRows(pageSize + 1, runs.length)
  }
  const text =
    'select id, agent_id, agent_version, input, metadata, created_at from runs where org_id = $1 and id = $2 limit 1'
  return {
    oneRow: async () => {
      const found = await app.once(organisation, { name: 'bench.one_row', text, values: [organisation, uuid()] })
      expectRows(1, found.length)
    },
    oneRun: async () => expectRows(1, (await findRun(app, organisation, uuid())) === null ? 0 : 1),
    page1: list({}),
    page1000: list({ after: last }),
    failed: list({ status: ['failed'] }),
    agent: list({ within: onlyAgent(within, agent) }),
    label: list({ metadata: { customer: customers.busy } }),
  }
}

type Get = ((path: string) => Promise<{ id: string; data: { id: string }[]; last_id: string }>) & {
  close(): Promise<void>
}

const httpsGet = (stack: Stack, key: string): Get => {
  const client = new Client(stack.env('gateway').ARS_PUBLIC_URL ?? '', {
    allowH2: false,
    keepAliveTimeout: 600_000,
    connect: { ca: readFileSync(stack.tls.certFile, 'utf8'), servername: 'localhost' },
  })
  const get = async (path: string) => {
    const answer = await client.request({ method: 'GET', path, headers: { authorization: `Bearer ${key}` } })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new PartError(`GET ${path} answered ${answer.statusCode}: ${text}`)
    return JSON.parse(text)
  }
  return Object.assign(get, { close: () => client.close() })
}

/** Page by page, as a customer would. Each page must go on exactly where the one before it ended. */
const walk = async (get: Get): Promise<{ ids: string[]; last: string }> => {
  const ids: string[] = []
  let last = ''
  for (let page = 1; page < 1000; page++) {
    const { data, last_id } = await get(`/v2/runs?limit=${pageSize}${last === '' ? '' : `&after=${last}`}`)
    ids.push(...data.map(({ id }) => id))
    last = last_id
  }
  const inOrder = ids.toSorted().toReversed()
  const isRight = new Set(ids).size === ids.length && ids.every((id, at) => id === inOrder[at])
  if (!isRight || ids.length !== 999 * pageSize) throw new PartError('the pages skip, repeat or disorder runs')
  return { ids, last }
}

/** One after the other, in an order that jumps about, the same in each run of the bench. */
const inTurn = (ids: readonly string[]): (() => string) => {
  let at = 0
  return () => {
    at = (at + 7919) % ids.length
    return ids[at] ?? ''
  }
}

const expectRows = (expected: number, found: number): void => {
  if (found !== expected) throw new PartError(`expected ${expected} runs in an answer and found ${found}`)
}

const readSize = async (superuserUrl: string): Promise<number> => {
  const { rows } = await withClient(superuserUrl, (client) =>
    client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes'),
  )
  return Number(rows[0]?.bytes)
}
