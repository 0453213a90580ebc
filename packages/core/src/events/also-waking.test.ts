import type { Tx } from '@ars/platform/db/database'
import { expect, test } from 'vitest'
import { alsoWaking, type FanOut } from './event-position.sweep.ts'

const events = { ids: ['a'], firstId: 'a', lastId: 'a' }

test('a fan-out that also wakes keeps what it fans out to, and nudges once after what has woken something', async () => {
  const seen: string[] = []
  const wakes = [2, 1, 0]
  const fanOut: FanOut = {
    createDeliveries: async () => [{ org_id: 'org', deliveries: 3 }],
    onCreated: () => seen.push('created'),
    onAssigned: () => seen.push('assigned'),
  }
  const both = alsoWaking(
    fanOut,
    async () => wakes.shift() ?? 0,
    () => seen.push('nudged'),
  )
  for (const order of [['assigned', 'nudged'], ['assigned', 'nudged'], ['assigned']]) {
    expect(await both.createDeliveries({} as Tx, events)).toEqual([{ org_id: 'org', deliveries: 3 }])
    both.onAssigned?.()
    expect(seen.splice(0)).toEqual(order)
  }
  both.onCreated()
  expect(seen).toEqual(['created'])
})
