import { writeFileSync } from 'node:fs'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { newKek, sealOf } from '@ars/platform/redis/message-seal.fixture'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOrganisation } from '../../../test/add-organisation.ts'
import { askedRun } from '../../../test/asked-run.ts'
import { idleSegments } from '../../../test/idle-segments.ts'
import { testAgents } from '../../agents/agents.fixture.ts'
import type { StepService } from '../../steps/index.ts'
import { acceptRuns } from '../accept/accept.store.ts'
import { createFeed, type Feed } from '../feed/feed.service.ts'
import { findRun } from '../run/run.store.ts'
import type { Segment } from '../run/segment.ts'

/*
 * Large results that end together. The sizes of the suite are small; `ARS_FULL_SIZE=true pnpm exec vitest run <this file>`
 * plays 32 results of 10 MiB and writes docs/reports/large-results.md.
 */
const isFullSize = process.env.ARS_FULL_SIZE === 'true'
const organisations = 4
const runsEach = isFullSize ? 8 : 2
const resultBytes = isFullSize ? 10 * 1024 * 1024 - 1_000 : 3 * 1024 * 1024
// In the small size a collection of garbage weighs as much as a result.
const maxRatio = isFullSize ? 1.5 : 3
const maxAboveIdleBytes = 600_000_000

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
let database: TestDatabase
let app: Database
let feed: Feed
const orgs: { org: string; agentId: string }[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 8, acquireTimeoutMs: 30_000, log })
  const pubSub = {
    publish: () => undefined,
    subscribe: () => Promise.resolve(),
    unsubscribe: () => undefined,
    isUp: () => true,
    version: () => Promise.resolve(''),
    close: () => undefined,
  }
  feed = createFeed({ feedReads: app, pubSub, seal: sealOf([newKek('test')]), log })
  for (let n = 0; n < organisations; n++) {
    const org = await addOrganisation(database, `Test ${n}`)
    const [echo] = await testAgents({ app, newId }).seedTestFamily(org)
    orgs.push({ org, agentId: toUuid(echo?.id ?? '') })
  }
})
afterAll(async () => {
  feed.close()
  await app.close()
  await database.drop()
})

/** JSON escapes two characters of each line. */
const line = 'He said "it is done".\n'
const makeText = (): string =>
  Buffer.alloc(Math.floor(resultBytes / (line.length + 3)) * line.length, line).toString('latin1')

const accept = async ({ org, agentId }: { org: string; agentId: string }): Promise<Segment> => {
  const run = toUuid(newId('run'))
  const asked = askedRun(agentId, { id: run })
  await acceptRuns(app, org, [asked], { relayAfterMs: 0, cellSlots: 100 })
  return { org, run, epoch: 1, segment: 1, step: 1 }
}

/** A worker whose steps all end at the same moment, each with another copy of the text. */
const endTogether = async (segments: readonly Segment[]): Promise<{ blockedMs: number; peakBytes: number }> => {
  let arrived = 0
  let go: () => void = () => undefined
  const all = new Promise<void>((resolve) => {
    go = resolve
  })
  const steps: StepService = {
    take: async () => {
      const text = makeText()
      arrived++
      if (arrived === segments.length) setTimeout(go, 50)
      await all
      const tokens = { input: 0, output: 0 }
      const record = { kind: 'model', content: { text }, tokens, costUsd: 0, messagesRead: 0 } as const
      return { kind: 'completed', record, output: { result: text } }
    },
  }
  const service = idleSegments({ app, steps, feed })
  const words = Promise.all(segments.map((segment) => service.advance(segment, 1, new AbortController().signal)))
  await all
  const watch = watchProcess()
  expect(new Set((await words).map(({ word }) => word))).toEqual(new Set(['done']))
  return watch.end()
}

/**
 * How long the event loop was blocked at most, in CPU time of its thread: other programs on the machine do not count. And
 * the most memory.
 */
const watchProcess = () => {
  let blockedMs = 0
  let peakBytes = 0
  let last = process.threadCpuUsage()
  const look = (): void => {
    const used = process.threadCpuUsage()
    blockedMs = Math.max(blockedMs, (used.user + used.system - last.user - last.system) / 1_000)
    last = used
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 1)
  return {
    end: () => {
      look()
      clearInterval(timer)
      return { blockedMs, peakBytes }
    },
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

test(`${organisations * runsEach} results of ${Math.round(resultBytes / 1024 / 1024)} MiB that end together are all stored, and block the worker no longer than one alone`, async () => {
  const alone: number[] = []
  // As many as end together, because the longest of many is longer than that of a few. The first two warm up.
  for (let n = 0; n < organisations * runsEach + 2; n++) {
    const one = orgs[n % organisations] as (typeof orgs)[0]
    alone.push((await endTogether([await accept(one)])).blockedMs)
  }
  const [longestAloneMs, medianAloneMs] = [Math.max(...alone.slice(2)), median(alone.slice(2))]
  const segments: Segment[] = []
  for (const one of orgs) for (let n = 0; n < runsEach; n++) segments.push(await accept(one))
  const idleBytes = process.memoryUsage.rss()
  const beganMs = performance.now()
  const together = await endTogether(segments)
  const tookMs = performance.now() - beganMs
  const aboveIdleBytes = together.peakBytes - idleBytes
  for (const { org, run } of segments) {
    const stored = await findRun(app, org, run)
    expect(stored).toMatchObject({ status: 'completed', output: { result: makeText() } })
  }
  expect(together.blockedMs).toBeLessThan(maxRatio * longestAloneMs)
  expect(aboveIdleBytes).toBeLessThan(maxAboveIdleBytes)
  if (isFullSize) {
    const figures = { longestAloneMs, medianAloneMs, togetherMs: together.blockedMs, tookMs, aboveIdleBytes }
    writeFileSync(new URL('../../../../../docs/reports/large-results.md', import.meta.url), pageOf(figures))
  }
}, 600_000)

type Figures = {
  longestAloneMs: number
  medianAloneMs: number
  togetherMs: number
  tookMs: number
  aboveIdleBytes: number
}

const pageOf = (figures: Figures): string => {
  const ms = (value: number): string => `${Math.round(value)} ms`
  const times = (aloneMs: number): string => (figures.togetherMs / aloneMs).toFixed(2)
  return `# Large results

${organisations * runsEach} runs of ${organisations} organisations end at the same moment, each with a result of 10 MiB. Written by
\`ARS_FULL_SIZE=true pnpm exec vitest run packages/core/src/runs/execute/large-results.slow.test.ts\`, whose claims all held. Times
are those that the event loop was blocked at most, in CPU time of its thread.

| What | Figure | At most |
|---|---|---|
| results that were stored | ${organisations * runsEach} of ${organisations * runsEach} | |
| all are stored after | ${(figures.tookMs / 1_000).toFixed(1)} s | |
| the event loop is blocked by one result alone, longest of ${organisations * runsEach} | ${ms(figures.longestAloneMs)} | |
| the same, median | ${ms(figures.medianAloneMs)} | |
| by all of them, longest | ${ms(figures.togetherMs)}: ${times(figures.longestAloneMs)} times the longest alone, ${times(figures.medianAloneMs)} times the median | ${maxRatio} times the longest alone |
| memory above the idle worker | ${Math.round(figures.aboveIdleBytes / 1e6)} MB | ${maxAboveIdleBytes / 1e6} MB |
`
}
