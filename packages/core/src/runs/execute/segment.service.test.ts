import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { createEgress } from '@ars/platform/egress/egress'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOrganisation } from '../../../test/add-organisation.ts'
import { askedRun } from '../../../test/asked-run.ts'
import { idleSegments } from '../../../test/idle-segments.ts'
import { testAgents } from '../../agents/agents.fixture.ts'
import { createModels } from '../../models/index.ts'
import { createSecrets } from '../../secrets/index.ts'
import { createSteps, type StepService } from '../../steps/index.ts'
import { acceptRuns } from '../accept/accept.store.ts'
import { runsBounds } from '../bounds.ts'
import { findRun } from '../run/run.store.ts'
import { runWorkflow } from './run.workflow.ts'
import { claimSteps } from './segment.store.ts'
import { Superseded } from './step-context.service.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
let database: TestDatabase
let app: Database
let org: string
let agentId: string
beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 3, acquireTimeoutMs: 30_000, log })
  org = await addOrganisation(database)
  const seeded = await testAgents({ app, newId }).seedTestFamily(org)
  agentId = toUuid(seeded.find(({ name }) => name === 'test-steps')?.id ?? '')
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const segments = ({ steps = testSteps(), db = app }: { steps?: StepService; db?: Database } = {}) =>
  idleSegments({ app: db, steps })

const testSteps = () =>
  createSteps({
    app,
    models: createModels({ modelsFile: undefined, environment: {}, clock: systemClock, log }),
    connectors: { openToolbox: () => Promise.reject(new Error('no tools here')) },
    checks: {
      output: async () => [],
      schema: async () => [],
      prompt: async () => ({ kind: 'rendered', text: '' }),
    },
    secrets: createSecrets({ app, keyring: undefined }),
    egress: createEgress(),
    clock: systemClock,
    log,
  })

const interruptedRun = async (times: number, input: Record<string, unknown> = { steps: 2 }) => {
  const run = toUuid(newId('run'))
  const asked = askedRun(agentId, { id: run, input })
  await acceptRuns(app, org, [asked], { relayAfterMs: 0, cellSlots: 100 })
  const segment = { org, run, epoch: 1, segment: 1, step: 1 }
  for (let n = 0; n < times; n++)
    await claimSteps(app, org, [{ segment, step: 1, claimId: toUuid(newId('claim')), alone: true }])
  return segment
}

test('a step that was interrupted twice is executed in isolation, and its run continues', async () => {
  const segment = await interruptedRun(2)
  const service = segments()
  const { signal } = new AbortController()
  expect(await service.advance(segment, 1, signal)).toEqual({ word: 'continue', step: 1 })
  expect(await service.advance(segment, 2, signal)).toEqual({ word: 'done', step: 2 })
  expect(await findRun(app, org, segment.run)).toMatchObject({ status: 'completed' })
})

test('an invocation that is retried goes on after the last stored step', async () => {
  const segment = await interruptedRun(0, { steps: 5 })
  const service = segments()
  const { signal } = new AbortController()
  for (const step of [1, 2, 3]) await service.advance(segment, step, signal)
  expect(await service.advance(segment, 1, signal)).toEqual({ word: 'continue', step: 3 })
  expect(await service.advance(segment, 4, signal)).toEqual({ word: 'continue', step: 4 })
})

test('an attempt that the engine has given up claims no further step', async () => {
  const segment = await interruptedRun(0, { steps: 5 })
  const givenUp = new AbortController()
  const tried: number[] = []
  const { handlers } = runWorkflow({
    drain: () => undefined,
    keptHistoryBytes: () => 0,
    openTrace: () => undefined,
    advance: async (_, step) => {
      tried.push(step)
      if (step === 2) givenUp.abort()
      return { word: 'continue', step }
    },
  })
  expect(await handlers.segment?.({ signal: givenUp.signal, keep: () => undefined }, segment)).toBeUndefined()
  expect(tried).toEqual([1, 2])
})

test.each([
  ['holds it', [1]],
  ['has stored it', [1, 2]],
] as const)(
  'a step that an attempt of the same invocation, ended by the engine, has taken and %s, does not leave its run behind',
  async (_what, stolen) => {
    const segment = await interruptedRun(0, { steps: 3 })
    const real = segments()
    const { signal } = new AbortController()
    let isFirst = true
    const steps: StepService = {
      take: async (asked) => {
        if (!isFirst) return testSteps().take(asked)
        isFirst = false
        await claimSteps(app, org, [{ segment, step: 1, claimId: toUuid(newId('claim')), alone: true }])
        if (stolen.length > 1) {
          await asClient(database.superuserUrl, (client) =>
            client.query('update run_heads set step = 1, claims = 0 where run_id = $1', [segment.run]),
          )
        }
        throw new Superseded()
      },
    }
    const service = segments({ steps })
    const first = service.advance(segment, 1, signal)
    if (stolen.length > 1) expect(await first).toMatchObject({ word: 'continue' })
    else await expect(first).rejects.toThrow('Another attempt of this invocation holds the step')
    expect(await real.advance(segment, stolen.length, signal)).toEqual({ word: 'continue', step: stolen.length })
  },
)

test('a claim whose answer is lost is offered again as the same claim, which counts no interruption (runsBounds.claimTries)', async () => {
  const segment = await interruptedRun(1)
  let losses = 2
  const once: Database['once'] = async (asOrg, statement) => {
    const rows = await app.once(asOrg, statement)
    if (statement.name === 'runs.claim' && losses-- > 0) throw new DatabaseUnavailable('The answer was lost')
    return rows
  }
  const claims: [attempt: number, claims: number][] = []
  const steps: StepService = {
    take: (asked) => {
      claims.push([asked.attempt, asked.claims])
      return testSteps().take(asked)
    },
  }
  const service = segments({ steps, db: { ...app, once } })
  const { signal } = new AbortController()
  expect(await service.advance(segment, 1, signal)).toEqual({ word: 'continue', step: 1 })
  expect(await service.advance(segment, 2, signal)).toEqual({ word: 'done', step: 2 })
  expect(claims).toEqual([
    [2, 2],
    [3, 1],
  ])
})

test('a step that was interrupted five times fails its run (runsBounds.claimsPerStep)', async () => {
  const segment = await interruptedRun(5)
  expect(await segments().advance(segment, 1, new AbortController().signal)).toMatchObject({ word: 'done' })
  expect(await findRun(app, org, segment.run)).toMatchObject({ status: 'failed', error: { code: 'internal_error' } })
})

test('a step that cannot withdraw its text because the database failed is tried again at once', async () => {
  const segment = await interruptedRun(0)
  let failures = 1
  const once: Database['once'] = (asOrg, statement) => {
    if (statement.name === 'runs.reset_output' && failures-- > 0) return Promise.reject(new DatabaseUnavailable('gone'))
    return app.once(asOrg, statement)
  }
  const steps: StepService = {
    take: async ({ context, signal }) => {
      context.delta('half a sentence')
      await context.reset()
      signal.throwIfAborted()
      const record = {
        kind: 'model',
        content: null,
        tokens: { input: 0, output: 0 },
        costUsd: 0,
        messagesRead: 0,
      } as const
      return { kind: 'completed', record, output: { result: 'whole' } }
    },
  }
  const service = segments({ steps, db: { ...app, once } })
  const { signal } = new AbortController()
  await expect(service.advance(segment, 1, signal)).rejects.toThrow('although this worker holds it')
  expect(await service.advance(segment, 1, signal)).toMatchObject({ word: 'done' })
  expect(await findRun(app, org, segment.run)).toMatchObject({ status: 'completed', output: { result: 'whole' } })
})

test('a step that fails while its run is being cancelled ends the run without the grace period', async () => {
  const segment = await interruptedRun(0)
  const steps: StepService = {
    take: async () => {
      await asClient(database.superuserUrl, (client) =>
        client.query(`update run_heads set status = 'cancelling' where run_id = $1`, [segment.run]),
      )
      throw new Error('The agent stumbles')
    },
  }
  expect(await segments({ steps }).advance(segment, 1, new AbortController().signal)).toMatchObject({ word: 'done' })
  expect(await findRun(app, org, segment.run)).toMatchObject({ status: 'cancelled' })
})

test('results that end together share a statement up to runsBounds.resultsEncodedTogether, and larger ones do not', async () => {
  const stores: string[] = []
  const noting = (statements: readonly { name?: string | undefined }[]): void =>
    void stores.push(...statements.flatMap(({ name = '' }) => (name.startsWith('runs.store_step') ? [name] : [])))
  const db: Database = {
    ...app,
    batch: (asOrg, statements) => {
      noting(statements)
      return app.batch(asOrg, statements)
    },
    batchOf: (orgs, statements) => {
      noting(statements)
      return app.batchOf(orgs, statements)
    },
  }
  const storesOf = async (chars: number) => {
    stores.length = 0
    const held = await Promise.all([interruptedRun(0, { steps: 3 }), interruptedRun(0, { steps: 3 })])
    const both = Promise.withResolvers<void>()
    let open = 0
    const steps: StepService = {
      take: async () => {
        if (++open === held.length) both.resolve()
        await both.promise
        const content = { text: 'x'.repeat(chars) } as never
        const record = { kind: 'model', content, tokens: { input: 1, output: 1 }, costUsd: 0, messagesRead: 0 } as never
        return { kind: 'continue', record } as never
      },
    }
    const service = segments({ steps, db })
    const words = held.map((segment) => service.advance(segment, 1, new AbortController().signal))
    expect(await Promise.all(words)).toMatchObject([{ word: 'continue' }, { word: 'continue' }])
    return stores.length
  }
  const { chars } = runsBounds.resultsEncodedTogether
  expect([await storesOf(chars - 1_000), await storesOf(chars + 1_000)]).toEqual([1, 2])
})
