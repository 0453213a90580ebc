import { expect, test } from 'vitest'
import { capacityOf } from './capacity.ts'
import { demandOf, holdAgainst, type Used } from './held.ts'

const kind = { stepsPerRun: 1, bytesPerRun: 200, deliveriesPerRun: 0, streamShare: 0, eventsPerStream: 0 }
const demand = demandOf({ runs: 6_000, seconds: 60 }, kind)

/** Exactly as much as the model says, times `factor`. */
const used = (factor: number): Used => {
  const need = capacityOf(demand)
  return {
    seconds: 60,
    runs: 6_000,
    cpuMs: {
      gateway: need.cores.gateway * 60_000 * factor,
      worker: need.cores.worker * 60_000 * factor,
      postgres: need.cores.postgres * 60_000 * factor,
      redis: need.cores.redis * 60_000 * factor,
      restate: need.cores.restate * 60_000 * factor,
    },
    walBytes: need.walBytesPerSecond * 60 * factor,
    engineWalBytes: need.engineWalBytesPerSecond * 60 * factor,
    storedBytes: ((need.databaseBytes * 30) / demand.retentionDays / demand.runsPerMonth) * 6_000 * factor,
    connections: need.connections * factor,
  }
}

test('the demand of a stretch has its rate and no peak', () => {
  expect(capacityOf(demand)).toMatchObject({ meanPerSecond: 100, peakPerSecond: 100 })
})

test('a run that used what the model says holds it in every quantity', () => {
  const held = holdAgainst(demand, used(1))
  expect(held.map(({ isHeld }) => isHeld)).not.toContain(false)
  for (const { predicted, measured } of held) expect(predicted / measured).toBeCloseTo(1, 6)
})

test.for([
  [0.85, true],
  [1.3, true],
  [0.75, false],
  [1.4, false],
])('a run that used %d times as much: within a quarter is %s', ([factor, isHeld]) => {
  const held = holdAgainst(demand, used(factor as number)).filter(({ quantity }) => !quantity.startsWith('connections'))
  expect(new Set(held.map((each) => each.isHeld))).toEqual(new Set([isHeld]))
})

test('a part that uses next to nothing is shown and not judged', () => {
  const notJudged = holdAgainst(demand, used(1)).filter(({ isJudged }) => !isJudged)
  expect(notJudged.map(({ quantity }) => quantity)).toEqual(['CPU of redis'])
})

test('connections are a bound: fewer hold the prediction, one more does not', () => {
  const isHeld = (connections: number): boolean | undefined =>
    holdAgainst(demand, { ...used(1), connections }).find(({ quantity }) => quantity.startsWith('connections'))?.isHeld
  const { connections } = capacityOf(demand)
  expect(isHeld(1)).toBe(true)
  expect(isHeld(connections)).toBe(true)
  expect(isHeld(connections + 1)).toBe(false)
})
