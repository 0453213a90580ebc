import { setTimeout as sleep } from 'node:timers/promises'
import { createWorkerCore, type WorkerMetrics } from '@ars/core'
import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import type { Database } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import { expect, onTestFinished, test } from 'vitest'
import { openParts } from '../src/parts.ts'
import { startApp } from './app.ts'

const log = createLog({ level: 'silent' })
const seconds = 20
const nothing = (): void => undefined
const metrics: WorkerMetrics = {
  ...{ onStep: nothing, onLost: nothing, onEnded: nothing, onModelCall: nothing, onModelFallback: nothing },
  ...{ onAttempt: nothing, onToolsOff: nothing, onMailEnded: nothing, onRulesEvaluated: nothing, onFired: nothing },
  ...{ onPipelineRunEnded: nothing, onTurn: nothing },
}

test('the loops of all queues ask the database at most ten times a second while nothing is due', async () => {
  const app = await startApp({ role: 'gateway' })
  onTestFinished(() => app.stop())
  const config = parseConfig(Config, app.env)
  const parts = await openParts({ config, environment: {}, log })
  onTestFinished(() => parts.close())
  const asked = new Map<string, number>()
  const note = (name = 'other', times = 1): void => void asked.set(name, (asked.get(name) ?? 0) + times)
  const counted = (db: Database): Database => ({
    ...db,
    once: (org, each) => {
      note(each.name)
      return db.once(org, each)
    },
    batch: (org, list) => {
      for (const { name } of list) note(name)
      return db.batch(org, list)
    },
    transaction: (org, work) => {
      note('begin and commit', 2)
      return db.transaction(org, (tx) =>
        work({
          ...tx,
          query: (each) => {
            note(each.name)
            return tx.query(each)
          },
        }),
      )
    },
  })
  const [app_, steps, system, deliveries] = [parts.app, parts.steps, parts.system, parts.deliveries].map(counted)
  if (!app_ || !steps || !system || !deliveries) throw new Error('A pool is missing')
  const worker = createWorkerCore({ ...parts, app: app_, steps, system, deliveries }, metrics)
  onTestFinished(() => worker.close())
  for (const loop of worker.loops) loop.start()
  onTestFinished(() => worker.drain())
  await sleep(2_000)
  asked.clear()
  await sleep(seconds * 1_000)
  const perSecond = [...asked.values()].reduce((sum, times) => sum + times, 0) / seconds
  console.log(`${worker.loops.length} loops: ${perSecond} statements a second`, Object.fromEntries(asked))
  // Every loop looks.
  expect(asked.size).toBe(worker.loops.length)
  expect(perSecond).toBeLessThanOrEqual(10)
})
