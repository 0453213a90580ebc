import { toUuid } from '@ars/platform/id'
import { expect, test } from 'vitest'
import type { ScheduleRow } from './schedule.ts'
import { toWireSchedules } from './schedule-list.service.ts'

const now = new Date('2026-01-01T00:00:00Z')
const row: ScheduleRow = {
  id: toUuid('sch_01m7ek7549ej9s2d1m7z8n0ycp'),
  org_id: toUuid('org_01m7ek7549ej9s2d1m7z8n0ycp'),
  ...{ name: 'rare', cron: '0 0 * 2 MON#5', time_zone: 'UTC', interval_seconds: null, anchor_at: null, once_at: null },
  ...{ agent_id: toUuid('ag_01m7ek7549ej9s2d1m7z8n0ycp'), pipeline_id: null, input: {}, metadata: {} },
  ...{ missed: 'skip', overlap: 'skip', monthly_budget_usd: null, spent_usd: 0 },
  ...{
    status: 'active',
    pause_code: null,
    paused_at: null,
    due_at: now,
    created_at: now,
    updated_at: now,
    archived_at: null,
  },
  ...{ created_by: toUuid('key_01m7ek7549ej9s2d1m7z8n0ycp'), created_by_type: 'key' },
}

test('a page of schedules is made in turns with other requests', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const schedules = await toWireSchedules(
    Array.from({ length: 100 }, () => row),
    { now },
  )
  clearImmediate(next)
  expect(schedules).toHaveLength(100)
  expect(turns).toBeGreaterThanOrEqual(9)
})
