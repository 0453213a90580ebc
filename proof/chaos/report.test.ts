import { expect, test } from 'vitest'
import { brokenClaims, type Verdict } from './report.ts'
import { type Claim, claim, measured } from './scenario.ts'

const verdict = (own: Claim[], common: Claim[] = []): Verdict =>
  ({
    scenario: { name: 'R0' },
    own: { metrics: [], claims: own },
    common: { metrics: [], claims: common },
  }) as unknown as Verdict

const late = measured('it ends in time', false, '9 s')
const lost = claim('nothing is lost', false, 'one run')
const whole = claim('nothing is lost', true, '')

test('the last lines name each broken claim with its first violation', () => {
  expect(brokenClaims(verdict([late, whole], [lost]))).toEqual([
    'R0: it ends in time: 9 s',
    'its stack: nothing is lost: one run',
  ])
})
