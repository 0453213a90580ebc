import { expect, test } from 'vitest'
import { seededRandom } from '../lab/random.ts'
import { essentialParts, planKills } from './kill-plan.ts'

const seeds = Array.from({ length: 200 }, (_, n) => `seed-${n}`)
const victimsOf = (seed: string, kills: number): string[] =>
  planKills(seededRandom(seed), { kills, ended: 500 }).flatMap(({ victims }) => victims)

test('six kills meet every kind of part, whatever the seed', () => {
  for (const seed of seeds) {
    const kinds = new Set(victimsOf(seed, 6).map((name) => name.replace(/-\d$/, '')))
    expect([...kinds].toSorted()).toEqual(['gateway', 'postgres', 'redis', 'restate', 'worker'])
  }
})

test('twenty kills meet every single part, whatever the seed', () => {
  for (const seed of seeds) {
    const victims = victimsOf(seed, 20)
    expect(victims).toHaveLength(20)
    expect(new Set(victims).size).toBe(7)
  }
})

test('every kill falls while runs are under way, in order, and never twice on one part at once', () => {
  for (const seed of seeds) {
    const plan = planKills(seededRandom(seed), { kills: 24, ended: 500 })
    const moments = plan.map(({ afterEnded }) => afterEnded)
    expect(moments).toEqual(moments.toSorted((a, b) => a - b))
    expect(moments.at(-1)).toBeLessThan(450)
    for (const { victims } of plan) expect(new Set(victims).size).toBe(victims.length)
    expect(plan.some(({ victims }) => victims.length === 2)).toBe(true)
  }
})

test('four kills of the essential parts meet each kind once, in the first part of the work', () => {
  for (const seed of seeds) {
    const plan = planKills(seededRandom(seed), { kills: 4, ended: 500, parts: essentialParts, until: 0.5 })
    const kinds = plan.flatMap(({ victims }) => victims.map((name) => name.replace(/-\d$/, '')))
    expect(kinds.toSorted()).toEqual(['gateway', 'postgres', 'restate', 'worker'])
    expect(plan.at(-1)?.afterEnded).toBeLessThan(250)
  }
})
