import { limits } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { testRequest } from '@ars/testkit/caller'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRunGateway, plantTenant, type RunGateway } from '../../../test/run-gateway.ts'
import type { Fault } from '../../fault.ts'

let database: TestDatabase
let gateway: RunGateway

beforeAll(async () => {
  database = await createTestDatabase()
  gateway = await openRunGateway(database)
})
afterAll(async () => {
  await gateway.close()
  await database.drop()
})

type Asked = { most: number; agent?: number; asked?: number; isDemo?: boolean }

/** The timeout of the run, or the code of the refusal. */
const timeoutOf = async ({ most, agent, asked, isDemo = false }: Asked): Promise<number | string> => {
  const { org, agentId } = await plantTenant(database, {
    timeoutSeconds: most,
    agents: [agent === undefined ? {} : { timeout: agent }],
  })
  const body = { agent_id: agentId, input: {}, ...(asked !== undefined && { timeout_seconds: asked }) }
  try {
    const answer = await gateway.api.create({ ...testRequest(org), isDemo }, body)
    const { id } = 'body' in answer ? answer.body : answer
    const { rows } = await asClient(database.superuserUrl, (client) =>
      client.query<{ timeout_seconds: number; seconds: number }>(
        `select r.timeout_seconds, extract(epoch from h.deadline_at - h.created_at)::integer as seconds
           from runs r join run_heads h on h.run_id = r.id where r.id = $1`,
        [toUuid(id)],
      ),
    )
    expect(rows[0]?.seconds).toBe(rows[0]?.timeout_seconds)
    return rows[0]?.timeout_seconds ?? Number.NaN
  } catch (error) {
    return (error as Fault).code
  }
}

const cases: [string, Asked, number | string][] = [
  ['what was asked for, up to what the plan allows', { most: 600, asked: 600 }, 600],
  ['nothing, when more was asked for than the plan allows', { most: 600, asked: 601 }, 'timeout_not_allowed'],
  ['the agent’s own time', { most: 600, agent: 30 }, 30],
  ['the agent’s own time, cut to what the plan allows', { most: 600, agent: 3600 }, 600],
  ['the default', { most: 3600 }, limits.runTimeoutDefaultSeconds],
  ['the default, cut to what the plan allows', { most: 120 }, 120],
  ['what was asked for, though the agent has less', { most: 600, agent: 30, asked: 300 }, 300],
  ['two minutes for a demo key, whatever the plan', { most: 86_400, isDemo: true }, 120],
  ['two minutes for a demo key, whatever the agent', { most: 86_400, agent: 300, isDemo: true }, 120],
  ['nothing, when a demo key asks for more', { most: 86_400, asked: 121, isDemo: true }, 'timeout_not_allowed'],
  ['less for a demo key, when the plan allows less', { most: 60, isDemo: true }, 60],
]

test.each(cases)('a run has %s', async (_what, asked, expected) => {
  expect(await timeoutOf(asked)).toBe(expected)
})
