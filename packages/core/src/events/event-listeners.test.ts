import { expect, test } from 'vitest'
import { scriptedDatabase } from '../../test/scripted-database.ts'
import { wakingListener } from './event-position.sweep.ts'
import { assignPositions } from './position-assignment.store.ts'

const uuid = '0199aaaa-0000-7000-8000-00000000000a'

const database = () =>
  scriptedDatabase({
    'events.lock_clock': () => [{ position: '7' }],
    'events.unassigned': () => [{ id: uuid }],
    'events.assign_positions': () => [{ org_id: uuid, position: '8', events: 1 }],
  }).db

test('every listener gets the batch in the transaction, and acts after its commit if it asks for that', async () => {
  const seen: string[] = []
  const wakes = [2, 0]
  const waking = () => wakingListener(async (_, { ids }) => seen.push(`wakes ${ids}`) && (wakes.shift() ?? 0), nudge)
  const nudge = (): void => void seen.push('nudged')
  const assigned = await assignPositions(database(), [waking(), waking()])
  expect(assigned).toEqual([{ org_id: uuid, position: 8, events: 1 }])
  expect(seen).toEqual([`wakes ${uuid}`, `wakes ${uuid}`, 'nudged'])
})

test('if a listener fails, nobody acts and no position is assigned', async () => {
  const seen: string[] = []
  const acts = async () => () => void seen.push('acted')
  const fails = () => Promise.reject(new Error('as planned'))
  await expect(assignPositions(database(), [acts, fails])).rejects.toThrow('as planned')
  expect(seen).toEqual([])
})
