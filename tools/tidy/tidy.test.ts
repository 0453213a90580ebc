import { describe, expect, test } from 'vitest'
import { readRepository } from './repository.ts'
import { filesOf, inWords } from './rule.ts'
import { rules } from './rules.ts'

const repository = readRepository()

describe('the house rules', () => {
  for (const { name, why, check, bad, good } of rules) {
    test(`in this repository ${name}`, () => {
      expect(check(repository).map(inWords), why).toEqual([])
    })

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
