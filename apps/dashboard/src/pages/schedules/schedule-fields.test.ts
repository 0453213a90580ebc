import type { Schedule } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { bodyOfSchedule, changesOfSchedule, checkSchedule, fieldsOfSchedule, newSchedule } from './schedule-fields.ts'

const schedule = {
  id: 'sch_1',
  name: 'Daily',
  cron: '0 9 * * *',
  time_zone: 'Europe/Berlin',
  interval_seconds: null,
  once_at: null,
  agent_id: 'ag_1',
  pipeline_id: null,
  input: { query: 'x' },
  missed: 'once',
  overlap: 'queue',
  monthly_budget_usd: 5,
} as unknown as Schedule

test('a schedule becomes a form and the same schedule again', () => {
  const fields = fieldsOfSchedule(schedule, 'UTC')
  expect(schedule).toMatchObject(bodyOfSchedule(fields))
  expect(changesOfSchedule(schedule, fields)).toEqual({})
})

test('only what differs is sent, but the parts of a timing together', () => {
  const fields = fieldsOfSchedule(schedule, 'UTC')
  expect(changesOfSchedule(schedule, { ...fields, name: 'Weekly ' })).toEqual({ name: 'Weekly' })
  expect(changesOfSchedule(schedule, { ...fields, zone: 'UTC' })).toEqual({
    cron: '0 9 * * *',
    time_zone: 'UTC',
    interval_seconds: null,
    once_at: null,
  })
  expect(changesOfSchedule(schedule, { ...fields, timing: 'interval', minutes: '15', budget: '' })).toEqual({
    cron: null,
    interval_seconds: 900,
    once_at: null,
    monthly_budget_usd: null,
  })
  expect(changesOfSchedule(schedule, { ...fields, target: 'pipeline', pipelineId: 'pl_1' })).toEqual({
    agent_id: null,
    pipeline_id: 'pl_1',
  })
})

test('a missing or wrong value has a message at its field', () => {
  const empty = { ...newSchedule('UTC'), cron: '9 *', zone: ' ', input: [], budget: '-1' }
  expect(Object.keys(checkSchedule(empty)).sort()).toEqual([
    'agent_id',
    'cron',
    'input',
    'monthly_budget_usd',
    'name',
    'time_zone',
  ])
  const other = { ...empty, timing: 'interval', minutes: '0.5', target: 'pipeline' } as const
  expect(Object.keys(checkSchedule(other))).toEqual(expect.arrayContaining(['interval_seconds', 'pipeline_id']))
  expect(checkSchedule({ ...empty, timing: 'once' })).toHaveProperty('once_at')
  expect(checkSchedule(fieldsOfSchedule(schedule, 'UTC'))).toEqual({})
})
