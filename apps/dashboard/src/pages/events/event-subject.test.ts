import type { Event } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { subjectOf } from './event-subject.ts'

const withData = (data: object) => ({ data }) as Pick<Event, 'data'>

test('an event is about the thing in its data, or about the thing that its data names', () => {
  expect(subjectOf(withData({ id: 'run_1', agent_id: 'ag_1' }))).toBe('run_1')
  expect(subjectOf(withData({ agent_id: 'ag_1', version: {} }))).toBe('ag_1')
  expect(subjectOf(withData({ connector_id: 'con_1', tools: [] }))).toBe('con_1')
  expect(subjectOf(withData({ message: 'Hello' }))).toBeNull()
})
