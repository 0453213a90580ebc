import { expect, test } from 'vitest'
import { type EventType, eventTypes } from './event-data.ts'
import { eventSample } from './event-samples.ts'
import { Event } from './events.ts'

const types = Object.keys(eventTypes) as EventType[]

test.each(types)('the sample of %s has every field of its data and no other', (type) => {
  const data = eventSample(type)
  expect(eventTypes[type].data.parse(data)).toEqual(data)
  const envelope = { id: 'evt_00000000000000000000000000', type, created_at: '2026-01-15T09:30:02.150Z', data }
  expect(Event.parse(envelope)).toEqual(envelope)
})

test('the ids of a sample are all zeros', () => {
  const ids = types.flatMap((type) => JSON.stringify(eventSample(type)).match(/"[a-z]{2,3}_[0-9a-z]{26}"/g) ?? [])
  expect(ids.length).toBeGreaterThan(types.length)
  for (const id of ids) expect(id).toMatch(/_0{26}"$/)
})
