import { eventsListTypes } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { eventGroups, isSubscribed, toggleEvent, toggleGroup } from './event-groups.ts'

const runs = eventGroups.find(({ title }) => title === 'Runs') ?? { title: '', types: [] }

test('every type that a webhook can subscribe to is in one group with a title', () => {
  expect(eventGroups.flatMap(({ types }) => types).toSorted()).toEqual([...eventsListTypes].sort())
  expect(eventGroups.filter(({ title }) => title === title.toLowerCase())).toEqual([])
})

test('all events stands alone', () => {
  expect(toggleEvent(['run.failed'], '*')).toEqual(['*'])
  expect(toggleEvent(['*'], '*')).toEqual([])
  expect(toggleEvent(['*'], 'run.failed')).toEqual(['run.failed'])
  expect(toggleEvent(['run.failed', 'run.completed'], 'run.failed')).toEqual(['run.completed'])
})

test('a group is chosen as a whole, and then left out as a whole', () => {
  const chosen = toggleGroup(['agent.updated', 'run.failed'], runs)
  expect(chosen.toSorted()).toEqual(['agent.updated', ...runs.types].sort())
  expect(toggleGroup(chosen, runs)).toEqual(['agent.updated'])
})

test('a webhook receives the types that it names, or all', () => {
  expect(isSubscribed(['*'], 'run.failed')).toBe(true)
  expect(isSubscribed(['run.failed'], 'run.failed')).toBe(true)
  expect(isSubscribed(['run.failed'], 'run.completed')).toBe(false)
})
