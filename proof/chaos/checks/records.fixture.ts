import { fromUuid } from '@ars/platform/id'
import type { Records } from '../records.ts'
import type { Operation } from './operations.ts'

export const uuid = '01a1dd3d-1ba7-772e-ba90-1e6e717533b5'
export const otherUuid = '01a1dd3d-1bb2-71ac-8b81-5ba79d6e2a2f'
export const orgId = '01a1dd3d-0000-7000-8000-000000000001'
export const runId: string = fromUuid('run', uuid)
export const otherRunId: string = fromUuid('run', otherUuid)

const created = new Date('2026-01-01T00:00:00Z')

/** One run of two steps that ended well. Every checker must be content with it. */
export const soundRecords = (): Records => {
  const events = [
    ['run.created', null],
    ['run.started', null],
    ['run.step.started', 1],
    ['run.step.completed', 1],
    ['run.step.started', 2],
    ['run.output.reset', 2],
    ['run.step.completed', 2],
    ['run.completed', null],
  ] as const
  return {
    readAt: new Date(created.getTime() + 10_000),
    runs: [{ id: uuid, org_id: orgId, key: 'k-1', timeout_seconds: 600, created_at: created, is_of_work: false }],
    heads: [],
    results: [{ run_id: uuid, status: 'completed', error_code: null, finished_at: created }],
    steps: [
      { run_id: uuid, step: 1, epoch: 1, attempt: 1 },
      { run_id: uuid, step: 2, epoch: 1, attempt: 3 },
    ],
    events: events.map(([type, step], at) => ({ run_id: uuid, seq: at + 1, type, step })),
    announcements: [{ run_id: uuid, type: 'run.completed' }],
    claims: [{ org_id: orgId, key: 'k-1', run_id: uuid }],
  }
}

/** The same run while its second step is under way. */
export const activeRecords = (): Records => {
  const sound = soundRecords()
  return {
    ...sound,
    heads: [{ run_id: uuid, status: 'running', epoch: 1, attempt: 3, step: 1, claims: 2 }],
    results: [],
    steps: sound.steps.slice(0, 1),
    events: sound.events.slice(0, 6),
    announcements: [],
  }
}

/** A call from second `from` to second `to`. */
export const operation = (
  from: number,
  to: number,
  { status = 200, runStatus = 'completed', id = runId, key = 'k-1' } = {},
): Operation => {
  const call = from * 1000
  const isHeard = status >= 200 && status < 300
  return {
    kind: 'sent',
    call,
    at_ms: from * 1000,
    gateway: 1,
    org: 'a',
    what: 'create',
    key,
    answer: {
      kind: 'answered',
      call,
      at_ms: to * 1000,
      status,
      ...(isHeard && { run_id: id, run_status: runStatus, is_replayed: false }),
    },
  }
}
