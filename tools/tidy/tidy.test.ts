import { describe, expect, test } from 'vitest'
import { filesOf, inWords } from './rule.ts'
import { rules } from './rules.ts'

// `pnpm check` plays the rules on this repository.
describe('the house rules', () => {
  for (const { name, check, bad, good } of rules) {
    test(`the check that ${name} finds every planted breach`, () => {
      expect(bad.filter((tree) => check(filesOf(tree)).length === 0)).toEqual([])
      expect(bad.length).toBeGreaterThan(0)
    })

    test(`the check that ${name} leaves good code alone`, () => {
      expect(good.flatMap((tree) => check(filesOf(tree)).map(inWords))).toEqual([])
      expect(good.length).toBeGreaterThan(0)
    })
  }

  test('no two rules have one name', () => {
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length)
  })
})
