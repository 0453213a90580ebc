import { expect, test } from 'vitest'
import { type Figure, printValue, shareOf, verdictOf } from './figures.ts'
import { readDashboardOptions } from './options.ts'
import { dashboardReport } from './report.ts'

const figure: Figure = { what: 'first load of /runs', value: 143.26, unit: 'KB', most: 150, note: 'median of 5' }

test('a figure is within its budget up to the budget itself', () => {
  expect(verdictOf(figure)).toBe('within')
  expect(verdictOf({ ...figure, value: 150 })).toBe('within')
  expect(verdictOf({ ...figure, value: 150.1 })).toBe('over')
})

test('a figure is printed with its unit and as a share of its budget', () => {
  expect(printValue(figure)).toBe('143.3 KB')
  expect(printValue({ value: 1_234, unit: 'elements' })).toBe('1,234 elements')
  expect(shareOf(figure)).toBe('96 %')
})

test('the report names the machine, the size of the organisation and every figure with its verdict', () => {
  const report = dashboardReport({
    options: readDashboardOptions(['--quick']),
    startedAt: new Date('2026-03-02T12:00:00Z'),
    browser: '140.0',
    load: [0.2, 1.1],
    figures: [figure, { what: 'longest task', value: 250, unit: 'ms', most: 200 }],
    pages: [{ path: '/runs', longestMs: 0, elements: 700 }],
    interactions: [{ what: 'open the menu of columns', ms: 24 }],
  })
  expect(report).toContain('2026-03-02 12:00 UTC')
  expect(report).toContain('2,000 runs, 100 agents, 10 webhooks and 200 audit entries')
  expect(report).toMatch(/first load of \/runs \| 143\.3 KB \| 150\.0 KB \| 96 % +\| within +\| median of 5/)
  expect(report).toMatch(/longest task +\| 250 ms +\| 200 ms +\| 125 % +\| over/)
  expect(report).toContain('| `/runs` | below 50 ms')
})
