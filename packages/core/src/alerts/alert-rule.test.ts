import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide, isSameStanding, quiet, type RuleStanding, requireTerms } from './alert-rule.ts'

const rule = { operator: 'above', threshold: 0.1, window_seconds: 300, for_seconds: 0 } as const
const start = Date.parse('2026-01-15T09:00:00Z')
const everySeconds = 10

/** Evaluates the values one after the other, and answers what happened with the seconds from the start. */
const play = (terms: Parameters<typeof decide>[0], values: readonly (number | null)[]) => {
  let standing: RuleStanding = quiet
  const seen: { what: 'fires' | 'resolves'; second: number }[] = []
  for (const [at, value] of values.entries()) {
    const second = at * everySeconds
    const decision = decide(terms, standing, { value, at: new Date(start + second * 1_000) })
    standing = decision.standing
    if (decision.transition) seen.push({ what: decision.transition, second })
  }
  return { seen, standing }
}
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)
const fires = (values: readonly (number | null)[], terms: Parameters<typeof decide>[0] = rule) =>
  play(terms, values).seen.filter(({ what }) => what === 'fires').length

describe('a rule', () => {
  test('fires at once, and resolves when the value was clear for a whole window', () => {
    const { seen } = play(rule, [0.01, 0.3, ...times(60, 0.01)])
    expect(seen).toEqual([
      { what: 'fires', second: 10 },
      { what: 'resolves', second: 20 + 300 },
    ])
  })

  test('with a short window resolves when the value was clear for five minutes', () => {
    const { seen } = play({ ...rule, window_seconds: 60 }, [0.3, ...times(60, 0.01)])
    expect(seen.at(-1)).toEqual({ what: 'resolves', second: 10 + 300 })
  })

  test('with for_seconds is pending until the value was beyond the threshold for so long', () => {
    const patient = { ...rule, for_seconds: 60 }
    expect(play(patient, times(6, 0.3))).toMatchObject({ seen: [], standing: { state: 'pending' } })
    expect(play(patient, times(7, 0.3)).seen).toEqual([{ what: 'fires', second: 60 }])
    expect(play(patient, [...times(6, 0.3), 0.05, ...times(6, 0.3)]).seen).toEqual([])
  })

  test('neither fires at the threshold nor resolves near it', () => {
    expect(fires(times(100, 0.1))).toBe(0)
    expect(play(rule, [0.3, ...times(500, 0.095)]).standing.state).toBe('firing')
  })

  test('does not fire without a value, and resolves when the value stays absent', () => {
    expect(play(rule, times(100, null)).seen).toEqual([])
    expect(play(rule, [0.3, ...times(40, null)]).seen.at(-1)).toEqual({ what: 'resolves', second: 310 })
  })

  test('with the operator below watches the other side', () => {
    const quietly = { ...rule, operator: 'below', threshold: 10 } as const
    expect(play(quietly, [12, 9, ...times(500, 10.5)]).standing.state).toBe('firing')
    expect(play(quietly, [12, 9, ...times(31, 11)]).seen.map(({ what }) => what)).toEqual(['fires', 'resolves'])
  })

  test('with the threshold 0 fires at the first count and resolves without any', () => {
    const never = { ...rule, threshold: 0 }
    expect(play(never, [0, 1, ...times(31, 0)]).seen.map(({ what }) => what)).toEqual(['fires', 'resolves'])
  })
})

describe('a value that swings around the threshold for an hour', () => {
  const hour = 360
  test('fires at most once, whatever its form, if it is never clear for a whole window', () => {
    const swing = fc.array(
      fc.record({
        beyond: fc.array(fc.double({ min: 0.1001, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 }),
        // 30 evaluations take 290 s from the first to the last.
        clear: fc.array(fc.option(fc.double({ min: 0, max: 0.0999, noNaN: true })), { maxLength: 30 }),
      }),
      { minLength: 1, maxLength: 100 },
    )
    fc.assert(
      fc.property(
        swing,
        (swings) => fires(swings.flatMap(({ beyond, clear }) => [...beyond, ...clear]).slice(0, hour)) <= 1,
      ),
    )
  })

  test.each([20, 60, 120, 300, 590])('fires once with a period of %i seconds', (period) => {
    const values = Array.from(
      { length: hour },
      (_, at) => 0.1 * (1 + 0.8 * Math.sin((2 * Math.PI * at * everySeconds) / period + 0.1)),
    )
    expect(fires(values)).toBe(1)
  })

  test('fires and resolves in turn for any values', () => {
    const values = fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 400 })
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 600 }), (list, for_seconds) => {
        const { seen, standing } = play({ ...rule, for_seconds }, list)
        const alternates = seen.every(({ what }, at) => what === (at % 2 === 0 ? 'fires' : 'resolves'))
        return alternates && (standing.state === 'firing') === (seen.length % 2 === 1)
      }),
    )
  })
})

test('an evaluation that changes nothing is recognised, so that nothing is written', () => {
  const at = new Date(start)
  expect(isSameStanding(decide(rule, quiet, { value: 0.01, at }).standing, quiet)).toBe(true)
  const firing: RuleStanding = { state: 'firing', pending_since: null, clear_since: at }
  expect(isSameStanding(firing, { ...firing, clear_since: new Date(start) })).toBe(true)
  expect(isSameStanding(firing, { ...firing, clear_since: null })).toBe(false)
})

const terms = { metric: 'failure_rate', error_code: null, agent_id: null, operator: 'above', threshold: 0.1 } as const

test.each([
  ['agent_id', { metric: 'quota_used', agent_id: 'x' }],
  ['agent_id', { metric: 'webhook_failure_rate', agent_id: 'x' }],
  ['error_code', { metric: 'error_code_count' }],
  ['error_code', { error_code: 'model_error' }],
  ['threshold', { threshold: 30 }],
  ['threshold', { operator: 'below', threshold: 0 }],
] as const)('terms that make no sense are refused with the field: %s', (param, more) => {
  expect(() => requireTerms({ ...terms, ...more })).toThrow(expect.objectContaining({ code: 'input_invalid', param }))
  expect(() => requireTerms(terms)).not.toThrow()
})
