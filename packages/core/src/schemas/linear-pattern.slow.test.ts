import { expect, test } from 'vitest'
import { compileLinear } from './linear-pattern.ts'

test('the time of a pattern grows with the text and not faster', () => {
  for (const source of ['^(a|a)*$', '^(a+)+$', '(.*)*x', '^(a?){60}a{60}$']) {
    const linear = compileLinear(source)
    const timeOf = (chars: number): number => {
      const text = `${'a'.repeat(chars)}!`
      const began = process.cpuUsage().user
      for (let round = 0; round < 5; round++) expect(linear.test(text)).toBe(false)
      return process.cpuUsage().user - began
    }
    timeOf(20_000)
    // Backtracking would double with every letter; eight times the text gets room for noise.
    expect(timeOf(160_000)).toBeLessThan(50 * Math.max(timeOf(20_000), 1_000))
  }
})
