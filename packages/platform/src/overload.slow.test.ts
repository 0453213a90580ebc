import { describe, expect, test } from 'vitest'
import { createLoad } from './overload.ts'

/**
 * Simulates a database with this commit duration under random requests: a minute below its capacity, then four times
 * its capacity. The clock is simulated.
 */
const play = (commitMs: (items: number) => number, mostPerSecond: number) => {
  let nowMs = 0
  let dice = 7
  const load = createLoad({ now: () => new Date(nowMs), monotonicMs: () => nowMs }, { maxCommits: 7 })
  const parts = { calm: { waited: [] as number[], shed: 0 }, pressed: { waited: [] as number[], shed: 0 } }
  let waiting: { sinceMs: number; part: keyof typeof parts }[] = []
  let commit: { items: typeof waiting; untilMs: number; end(outcome: 'done'): void } | undefined
  const begin = (): void => {
    if (commit || waiting.length === 0) return
    const items = waiting.slice(0, 32)
    waiting = waiting.slice(32)
    commit = { items, untilMs: nowMs + commitMs(items.length), end: load.begin(items.length) }
  }
  const settle = (untilMs: number): void => {
    while (commit && commit.untilMs <= untilMs) {
      nowMs = commit.untilMs
      for (const { sinceMs, part } of commit.items) parts[part].waited.push(nowMs - sinceMs)
      commit.end('done')
      commit = undefined
      begin()
    }
    nowMs = untilMs
  }
  for (const [part, factor] of [
    ['calm', 0.8],
    ['pressed', 4],
  ] as const) {
    for (const untilMs = nowMs + 60_000; nowMs < untilMs; ) {
      dice = (dice * 48_271) % 2_147_483_647
      settle(nowMs - (Math.log(dice / 2_147_483_647) * 1000) / (mostPerSecond * factor))
      const queue = { waiting: waiting.length, together: 32, underWay: commit?.items.length ?? 0 }
      if (load.mustShed(queue)) parts[part].shed++
      else waiting.push({ sinceMs: nowMs, part })
      begin()
    }
  }
  load.close()
  const figuresOf = ({ waited, shed }: (typeof parts)['calm']) => ({
    served: waited.length,
    shed,
    p99: waited.toSorted((a, b) => a - b)[Math.floor(waited.length * 0.99)] ?? Number.NaN,
  })
  return { calm: figuresOf(parts.calm), pressed: figuresOf(parts.pressed) }
}

describe.each([
  ['pays for each row', (items: number) => 5 + 10 * items, 98],
  ['is far away', () => 300, 106],
  ['pays for both', (items: number) => 50 + 5 * items, 152],
  ['is quick', (items: number) => 2 + 0.1 * items, 3000],
])('a database that %s, at four times its capacity', (_words, commitMs, mostPerSecond) => {
  test('keeps its throughput, and admitted callers do not wait long (platformBounds.overloadGrace)', () => {
    const { calm: calmly, pressed } = play(commitMs, mostPerSecond)
    expect(calmly.shed).toBeLessThan(0.02 * calmly.served)
    expect(pressed.shed).toBeGreaterThan(0)
    expect(pressed.served).toBeGreaterThan(0.9 * calmly.served)
    expect(pressed.p99).toBeLessThan(Math.max(3 * calmly.p99, 350))
  })
})
