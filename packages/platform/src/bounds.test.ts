import { createSecretKey, randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { platformBounds } from './bounds.ts'
import { parseConfig } from './config.ts'
import { createCpuBudgets } from './cpu-budget.ts'
import { floorOf } from './id-range.ts'
import { parseStrictJson } from './json.ts'
import { createLog } from './log/log.ts'
import { headerText } from './mail/mailbox.ts'
import { smoothDelay } from './overload.ts'
import { createMessageSeal } from './redis/message-seal.ts'
import { readTraceContext } from './trace/trace-context.ts'
import { validate } from './validation.ts'
import { pauseMsOf } from './work/turn.ts'
import { createUse } from './work/use.ts'

const parent = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

test('a traceparent or tracestate that is longer than its row is ignored', () => {
  const { chars } = platformBounds.traceparent
  const later = (length: number) => `01-${parent}-`.padEnd(length, 'x')
  expect(readTraceContext(later(chars), undefined)).not.toBeNull()
  expect(readTraceContext(later(chars + 1), undefined)).toBeNull()

  const { chars: stateChars } = platformBounds.tracestate
  const stateOf = (text: string) => readTraceContext(`00-${parent}`, text)?.traceState?.serialize()
  const long = `a=${'x'.repeat(stateChars / 2 - 3)},b=${'x'.repeat(stateChars / 2 - 2)}`
  expect(long).toHaveLength(stateChars)
  expect([stateOf(long), stateOf(`${long}x`)]).toEqual([long, undefined])
})

test('of many unknown fields some are named, and the first of them have a suggestion', () => {
  const schema = z.strictObject({ description: z.string().optional(), ['n'.repeat(100)]: z.string().optional() })
  const faultsOf = (value: object) => {
    const checked = validate(schema, value)
    return 'faults' in checked ? checked.faults : []
  }
  const faults = faultsOf(
    Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`descriptio${n % 10}${'_'.repeat(n / 10)}`, 'x'])),
  )
  expect(faults).toHaveLength(platformBounds.unknownFieldsTold.count)
  const misspelt = faultsOf(
    Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`descriptio${String.fromCharCode(97 + n)}`, 'x'])),
  )
  expect(misspelt.filter(({ unknown }) => unknown?.similar)).toHaveLength(platformBounds.similarFieldsTold.count)
  expect(faultsOf({ ['n'.repeat(platformBounds.similarFieldName.chars + 1)]: 'x' })[0]?.unknown?.similar).toBeNull()
})

test('a message over Redis that is longer than its row is dropped', () => {
  const seal = createMessageSeal(
    [{ id: 'k1234567', key: createSecretKey(randomBytes(32)) }],
    createLog({ level: 'silent' }),
  )
  const open = (text: string) => seal?.open(['subject'], seal.seal(['subject'], text))
  const { chars } = platformBounds.redisMessage
  const fits = 'x'.repeat(chars / 2)
  expect(open(fits)).toBe(fits)
  expect(open('x'.repeat(chars))).toBeNull()
})

test('a header of a mail is cut to its row', () => {
  expect([...headerText('x'.repeat(10_000))]).toHaveLength(platformBounds.mailHeader.chars)
})

test('a time beyond that of any id counts as the last one', () => {
  const { ms } = platformBounds.idTime
  expect(floorOf(ms + 1)).toBe(floorOf(ms))
  expect(floorOf(ms - 1) < floorOf(ms)).toBe(true)
})

test('beyond the owners of its row, a full budget of CPU time is forgotten, then the oldest', () => {
  const clock = fakeClock()
  const budgets = createCpuBudgets(clock, { burstMs: 1_000, share: 0.1 })
  const { count } = platformBounds.cpuBudgets
  budgets.charge('full', 1)
  clock.advance(60_000)
  for (let n = 0; n < count - 1; n++) budgets.charge(`owner ${n}`, 500)
  budgets.charge('new', 500)
  expect(budgets.leftMs('owner 0')).toBe(500)
  budgets.charge('newer', 500)
  expect(budgets.leftMs('owner 0')).toBe(1_000)
  expect([budgets.leftMs('owner 1'), budgets.leftMs('newer')]).toEqual([500, 500])
})

test('a pause of an item and a stall of the event loop count up to platformBounds.workPause and platformBounds.loopStall', () => {
  expect([pauseMsOf(1), pauseMsOf(2), pauseMsOf(60)]).toEqual([1_000, 2_000, platformBounds.workPause.ms])
  expect(smoothDelay(0, 3_600_000)).toBe(smoothDelay(0, platformBounds.loopStall.ms))
  expect(smoothDelay(0, platformBounds.loopStall.ms - 100)).toBeLessThan(smoothDelay(0, 3_600_000))
})

test('a claim names the organisations with the most use, up to platformBounds.organisationsCompared', () => {
  const use = createUse(fakeClock())
  const { count } = platformBounds.organisationsCompared
  for (let n = 0; n <= count; n++) use.begin(`org ${n}`)
  use.begin('org 7')
  const listed = use.list()
  expect([listed.length, listed[0]?.org, listed[0]?.places]).toEqual([count, 'org 7', 2])
})

test('a number that cannot be stored is quoted up to platformBounds.quotedValue', () => {
  const { chars } = platformBounds.quotedValue
  const refusal = (digits: number): string => {
    try {
      parseStrictJson(Buffer.from(`{"a":${'1'.repeat(digits)}}`), { depth: 9, keys: 9 } as never)
    } catch (error) {
      return (error as Error).message
    }
    throw new Error('nothing was refused')
  }
  expect(refusal(chars)).toContain(` ${'1'.repeat(chars)},`)
  expect(refusal(chars + 1)).toContain(` ${'1'.repeat(chars)}…,`)
})

test('a file of a setting has at most platformBounds.settingFile', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'ars-')), 'secret')
  const Settings = z.object({ theSecret: z.string().meta({ secret: true }) })
  const read = (bytes: number) => {
    writeFileSync(file, 'x'.repeat(bytes))
    return parseConfig(Settings, { ARS_THE_SECRET_FILE: file })
  }
  const { bytes } = platformBounds.settingFile
  expect(read(bytes).theSecret).toHaveLength(bytes)
  expect(() => read(bytes + 1)).toThrow(`has over ${bytes} bytes`)
})
