import { expect, test } from 'vitest'
import { capacityOf, constants, type Demand } from './capacity.ts'

const demand: Demand = {
  runsPerMonth: 100e6,
  peak: 3,
  stepsPerRun: 1,
  secondsPerRun: 15,
  bytesPerRun: 4_000,
  deliveriesPerRun: 0,
  streamShare: 0,
  eventsPerStream: 0,
  retentionDays: 30,
}

test('the rate of the peak, the runs that execute and the rows that are kept follow from the demand', () => {
  const need = capacityOf(demand)
  expect(need.meanPerSecond).toBeCloseTo(38.58, 2)
  expect(need.peakPerSecond).toBeCloseTo(115.74, 2)
  expect(need.activeRuns).toBeCloseTo(1_736, 0)
  expect(need.databaseBytes).toBeCloseTo(100e6 * (constants.rowBytesPerRun + 4_000), -6)
})

test('beside the idle loops, a run costs what a single caller pays at a low rate, and what many pay at a high one', () => {
  const sum = (cores: Readonly<Record<string, number>>) => Object.values(cores).reduce((total, each) => total + each, 0)
  const msPerRun = (runsPerMonth: number): number => {
    const { cores, peakPerSecond } = capacityOf({ ...demand, runsPerMonth })
    return ((sum(cores) - sum(constants.idle)) / peakPerSecond) * 1_000
  }
  expect(msPerRun(1_000)).toBeCloseTo(23.23, 1)
  expect(msPerRun(5e9)).toBeCloseTo(5.71, 2)
})

test('a delivery adds WAL and rows', () => {
  const [without, withOne] = [capacityOf(demand), capacityOf({ ...demand, deliveriesPerRun: 1 })]
  expect(withOne.databaseBytes - without.databaseBytes).toBeCloseTo(100e6 * constants.rowBytesPerDelivery, -6)
  expect(withOne.walBytesPerSecond - without.walBytesPerSecond).toBeCloseTo(115.74 * constants.walBytesPerDelivery, -3)
})

test('steps, deliveries and streams add to the cores of the parts that do the work', () => {
  const plain = capacityOf(demand).cores
  const more = capacityOf({
    ...demand,
    stepsPerRun: 3,
    deliveriesPerRun: 1,
    streamShare: 0.5,
    eventsPerStream: 100,
  }).cores
  expect(more.gateway).toBeGreaterThan(plain.gateway)
  expect(more.worker).toBeGreaterThan(plain.worker)
  expect(more.postgres).toBeGreaterThan(plain.postgres)
})

test.for<[Partial<Demand>, string, number]>([
  [{ runsPerMonth: 1e6 }, 'time to restore', 1],
  [{}, 'time to restore', 5],
  [{ secondsPerRun: 600 }, 'slots', 7],
  [{ runsPerMonth: 20e9, retentionDays: 0, secondsPerRun: 0.1 }, 'Postgres CPU', 4],
])('%j is limited by %s and needs %i cells', ([change, limit, cells]) => {
  expect(capacityOf({ ...demand, ...change })).toMatchObject({ limit, cells })
})
