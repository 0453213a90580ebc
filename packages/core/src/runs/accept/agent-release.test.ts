import { expect, test } from 'vitest'
import { type AgentRelease, learnRelease, versionAt } from './agent-release.ts'

const schema = (title: string) => ({ title })
const release = (change: Partial<AgentRelease> = {}): AgentRelease => ({
  status: 'active',
  live_version: 3,
  canary_version: null,
  canary_percent: null,
  version: 3,
  input_schema: schema('three'),
  ...change,
})

test('without a canary every run gets the active version', () => {
  for (const bucket of [0, 5000, 9999]) expect(versionAt(release(), bucket)).toBe(3)
})

test('a canary has the lowest buckets, one hundred for each percent, and no others', () => {
  const out = release({ canary_version: 5, canary_percent: 10 })
  expect([0, 999, 1000, 9999].map((bucket) => versionAt(out, bucket))).toEqual([5, 5, 3, 3])
})

test('the schemas of both sides are cached, and those of inactive versions are evicted', () => {
  const out = { canary_version: 5, canary_percent: 10 }
  const live = learnRelease(undefined, release(out))
  const both = learnRelease(live ?? undefined, release({ ...out, version: 5, input_schema: schema('five') }))
  expect(both?.schemas).toEqual(
    new Map([
      [3, schema('three')],
      [5, schema('five')],
    ]),
  )
  const promoted = learnRelease(
    both ?? undefined,
    release({ live_version: 5, version: 5, input_schema: schema('five') }),
  )
  expect(promoted).toEqual({
    live_version: 5,
    canary_version: null,
    canary_percent: null,
    schemas: new Map([[5, schema('five')]]),
  })
})

test('an agent whose schema was removed is evicted, and a canary without a schema keeps the other side’s schema cached', () => {
  const known = learnRelease(undefined, release()) ?? undefined
  expect(learnRelease(known, release({ live_version: 4, version: 4, input_schema: null }))).toBeNull()
  const out = { canary_version: 4, canary_percent: 50, version: 4, input_schema: null }
  expect(learnRelease(known, release(out))?.schemas).toEqual(new Map([[3, schema('three')]]))
})
