import type { TaskHandlers } from '@ars/platform/thread'
import { fakeClock } from '@ars/testkit/clock'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Cron, CronPattern } from 'croner'
import { RE2JS } from 're2js'
import { expect, onTestFinished, test, vi } from 'vitest'
import { expressionsBounds } from '../src/expressions/bounds.ts'
import { compileExpression } from '../src/expressions/index.ts'
import { guardrailsBounds } from '../src/guardrails/bounds.ts'
import { compose } from '../src/guardrails/check/compose.ts'
import { onReadings } from '../src/guardrails/check/reading.ts'
import { contentCheckTasks } from '../src/guardrails/guard/content-check-task.service.ts'
import { createContentChecker, keyOf } from '../src/guardrails/guard/content-checker.service.ts'
import { createContentChecks } from '../src/guardrails/guard/content-checks.service.ts'
import { createGuards } from '../src/guardrails/guard/guards.service.ts'
import type { CheckOfRule } from '../src/guardrails/rule.ts'
import { pipelinesBounds } from '../src/pipelines/bounds.ts'
import { pipelineTasks } from '../src/pipelines/pipeline-task.service.ts'
import { promptsBounds } from '../src/prompts/bounds.ts'
import { templateTasks } from '../src/prompts/input-template-task.service.ts'
import { schedulesBounds } from '../src/schedules/bounds.ts'
import { nextDates } from '../src/schedules/due.ts'
import { isTimeZone } from '../src/schedules/zone.ts'
import { schemasBounds } from '../src/schemas/bounds.ts'
import { createSchemaTasks } from '../src/schemas/schema-task.service.ts'
import { createValidator } from '../src/schemas/validator.ts'
import { weigh } from '../src/schemas/weight.ts'
import { scriptedDatabase } from './scripted-database.ts'

const nothing = {} as never

/** Counts calls, which go on as usual. */
const countCalls = (thing: object, method: string, isCounted = (_: unknown[]) => true): (() => number) => {
  const spy = vi.spyOn(thing as Record<string, () => unknown>, method)
  onTestFinished(() => void spy.mockRestore())
  return () => spy.mock.calls.filter(isCounted).length
}

const runIn =
  (tasks: TaskHandlers) =>
  (kind: string, payload: unknown): unknown =>
    tasks[kind]?.(payload, () => undefined)

const keywords = (n: number, chars = 10): CheckOfRule =>
  ({ check: 'keywords', params: { words: [`w${n}`.padEnd(chars, 'x')], whole_words: false } }) as never
const schemaCheck = (n: number, chars: number): CheckOfRule =>
  ({ check: 'json_schema', params: { schema: { title: `schema ${n}`.padEnd(chars, 'x') } } }) as never

/** Asks for thing `n`. The counter says how many were made so far. */
type Remembered = { ask(n: number): unknown; made(): number; count: number }

const caches: Readonly<Record<string, () => Remembered>> = {
  'expressionsBounds.patternsKnown': () => {
    const { count } = expressionsBounds.patternsKnown
    const programs = Array.from({ length: count + 1 }, (_, n) =>
      compileExpression({
        source: `input.matches("pattern${n}")`,
        variables: { input: { kind: 'string' } } as never,
        wanted: 'bool',
      }),
    )
    return {
      count,
      ask: (n) => {
        const program = programs[n]
        if (program?.kind !== 'program') throw new Error('The expression has problems')
        expect(program.run({ input: 'a' })).toMatchObject({ value: false })
      },
      made: countCalls(RE2JS, 'compile'),
    }
  },
  'guardrailsBounds.compiledChecks': () => {
    const checker = createContentChecker({ maxBytes: Number.POSITIVE_INFINITY, hasFaults: () => false })
    const keys = Array.from({ length: guardrailsBounds.compiledChecks.count + 1 }, (_, n) => keyOf(schemaCheck(n, 10)))
    return {
      count: guardrailsBounds.compiledChecks.count,
      ask: (n) => checker(keys[n] as string, { text: '', facts: nothing, content: 'a' }),
      made: countCalls(JSON, 'parse', ([text]) => keys.includes(text as string)),
    }
  },
  'guardrailsBounds.compiledOfThread': () => {
    const mib = 1_048_576
    // Counted as 4 bytes for each character and 60,000 more.
    const chars = Math.ceil((3 * mib - 60_000) / 4)
    const checks = Array.from({ length: 33 }, (_, n) => schemaCheck(n, chars))
    const run = runIn(contentCheckTasks(() => false))
    return {
      count: Math.floor(guardrailsBounds.compiledOfThread.bytes / (3 * mib)) - 1,
      ask: (n) => run('guardrails.check', { checks: JSON.stringify([checks[n]]), facts: '{}', content: '1' }),
      made: countCalls(JSON, 'parse', ([text]) => String(text).startsWith('{"check"')),
    }
  },
  'guardrailsBounds.compiledOfLoop': () => {
    // Counted as 40 bytes for each character and 60,000 more.
    const chars = 19_000
    const checkContent = createContentChecks({ threads: nothing, clock: fakeClock() })
    const bytes = 40 * keyOf(keywords(0, chars)).length + 60_000
    return {
      count: Math.floor(guardrailsBounds.compiledOfLoop.bytes / bytes),
      ask: (n) => checkContent('o', [keywords(n, chars)], { text: 'a', content: 'a', facts: {} } as never),
      made: countCalls(JSON, 'parse', ([text]) => String(text).startsWith('{"check"')),
    }
  },
  'pipelinesBounds.programsKnown': () => {
    const run = runIn(pipelineTasks())
    return {
      count: pipelinesBounds.programsKnown.count,
      ask: (n) =>
        expect(
          run('pipelines.open', { when: `input.matches("p") || input == "${n}"`, scope: '{"input":"a"}' }),
        ).toEqual({ kind: 'skip' }),
      // The check of an expression compiles the patterns in it. Its evaluation remembers this one.
      made: countCalls(RE2JS, 'compile', ([pattern]) => pattern === 'p'),
    }
  },
  'promptsBounds.templatePrograms': () => {
    const run = runIn(templateTasks())
    const template = (n: number) => `\${{ input.matches("t") || input == "${n}" }}`
    return {
      count: promptsBounds.templatePrograms.count,
      ask: (n) =>
        expect(run('templates.render', { template: template(n), input: '"a"' })).toMatchObject({ text: 'false' }),
      made: countCalls(RE2JS, 'compile', ([pattern]) => pattern === 't'),
    }
  },
  'schedulesBounds.patternsKnown': () => ({
    count: schedulesBounds.patternsKnown.count,
    // Another moment each time, so that the dates are computed again.
    ask: (n) => nextDates(cron(n), new Date(moments--)),
    made: countCalls(CronPattern.prototype, 'parse'),
  }),
  'schedulesBounds.shownDatesKnown': () => ({
    count: schedulesBounds.shownDatesKnown.count,
    ask: (n) => nextDates(yearly(n), new Date(0)),
    made: countCalls(Cron.prototype, 'nextRun'),
  }),
  'schedulesBounds.zonesKnown': () => {
    const zones = Intl.supportedValuesOf('timeZone')
    return {
      count: schedulesBounds.zonesKnown.count,
      ask: (n) => expect(isTimeZone(zones[n] as string)).toBe(true),
      made: countCalls(Intl, 'DateTimeFormat'),
    }
  },
  'schemasBounds.textsKnown': () => {
    const { tasks } = createSchemaTasks()
    const run = runIn(tasks)
    return {
      count: schemasBounds.textsKnown.count,
      ask: (n) => run('schemas.check', { schema: `{"title":"t${n}","type":"string"}`, value: '"a"' }),
      made: countCalls(JSON, 'parse', ([text]) => String(text).startsWith('{"title":"t')),
    }
  },
  'schemasBounds.compiledSchemas': () => {
    const validator = createValidator()
    return {
      count: schemasBounds.compiledSchemas.count,
      ask: (n) => validator.problemsOf({ title: `t${n}` }),
      made: countCalls(Ajv2020.prototype, 'compile'),
    }
  },
  'schemasBounds.compiledSubschemas': () => {
    const validator = createValidator()
    const schema = (n: number) => ({ title: `t${n}`, anyOf: Array.from({ length: 399 }, () => ({})) })
    const weighed = weigh(schema(0))
    if (weighed.kind === 'refused') throw new Error('The schema is refused')
    return {
      count: Math.floor(schemasBounds.compiledSubschemas.count / weighed.weight.subSchemas),
      ask: (n) => expect(validator.problemsOf(schema(n))).toEqual([]),
      made: countCalls(Ajv2020.prototype, 'compile'),
    }
  },
  'guardrailsBounds.policySetsKept': () => setsOf(guardrailsBounds.policySetsKept.count, 10),
  'the characters of guardrailsBounds.policySetsKept': () =>
    setsOf(32, Math.floor(guardrailsBounds.policySetsKept.chars / 33)),
}

let moments = 0
const cron = (n: number) =>
  ({ kind: 'cron', expression: `${n % 60} ${Math.floor(n / 60) % 24} * * *`, zone: 'UTC' }) as const
const yearly = (n: number) => ({ ...cron(n), expression: `${n % 60} ${Math.floor(n / 60) % 24} 1 ${1 + (n % 7)} *` })

const setsOf = (count: number, chars: number): Remembered => {
  const rule = { id: 'r', params: { text: 'x'.repeat(chars) } }
  const { db, countOf } = scriptedDatabase({
    'guardrails.read_set': () => [{ entries: [], policy_id: 'p', version: 1, rules: [rule] }],
  })
  const guards = createGuards({ app: db } as never)
  return {
    count,
    ask: (n) => guards.open({ org: 'o', agent: null, key: null, pinned: null, current: `set ${n}` } as never),
    made: () => countOf('guardrails.read_set'),
  }
}

test.for(Object.entries(caches))('beyond %s, what was used longest ago is made again', async ([, open]) => {
  const { ask, made, count } = open()
  for (let n = 0; n < count; n++) await ask(n)
  const filled = made()
  await ask(0)
  expect(made()).toBe(filled)
  await ask(count)
  const beyond = made()
  expect(beyond).toBeGreaterThan(filled)
  await ask(0)
  await ask(count)
  expect(made()).toBe(beyond)
  await ask(1)
  expect(made()).toBeGreaterThan(beyond)
})

test('beyond the letters of guardrailsBounds.lettersKnown all are composed again', () => {
  const { count } = guardrailsBounds.lettersKnown
  const letter = (n: number) => `${String.fromCodePoint(0x4e00 + n)}\u0323\u0301`
  const spy = vi.spyOn(String.prototype, 'normalize')
  onTestFinished(() => void spy.mockRestore())
  const composed = (n: number) => {
    const before = spy.mock.calls.length
    compose({ text: letter(n), places: null }, 'many')
    return spy.mock.calls.length - before
  }
  // At one of these the letters of earlier tests are forgotten.
  for (let n = 0; n < count; n++) composed(n)
  const firstKnown = Array.from({ length: count }, (_, n) => n).find((n) => composed(n) === 0)
  expect(firstKnown).toBeDefined()
  for (let n = count; n < 2 * count; n++) composed(n)
  expect(composed(firstKnown ?? 0)).toBe(1)
})

test('a text is read once for many checks up to guardrailsBounds.readingKept', () => {
  const { chars } = guardrailsBounds.readingKept
  const spy = vi.spyOn(String.prototype, 'normalize')
  onTestFinished(() => void spy.mockRestore())
  const look = onReadings(() => [])
  const readings = (length: number) => {
    const text = `a\u0323${'b'.repeat(length - 2)}`
    const before = spy.mock.calls.length
    look(text)
    const once = spy.mock.calls.length
    look(text)
    return [once > before, spy.mock.calls.length > once]
  }
  expect(readings(chars)).toEqual([true, false])
  expect(readings(chars + 1)).toEqual([true, true])
})
