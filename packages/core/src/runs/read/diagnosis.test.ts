import { describe, expect, test } from 'vitest'
import { diagnose, type RunFacts } from './diagnosis.ts'

const at = (second: number): Date => new Date(Date.UTC(2030, 0, 1, 0, 0, second))
const id = '01a1d8b9-0668-7000-8000-000000000001'

const running: RunFacts = {
  id,
  status: 'running',
  queues: false,
  attempt: 1,
  claims: 1,
  step: 2,
  created_at: at(0),
  progress_at: at(5),
  deadline_at: at(50),
  waiting_since: null,
  retry_at: null,
  note: null,
  finished_at: null,
  ordered: false,
  sees_all: true,
  position: null,
  holders: [],
  used: 1,
  allowed: 5,
  agent_allows: null,
  waits_in_batch_line: false,
  is_demo_limit_used: false,
  actions: [],
}

describe('the reason that a run waits', () => {
  test.each<[string, Partial<RunFacts>, string, string]>([
    ['is under way', {}, 'provider', 'Step 3 is under way.'],
    ['was interrupted', { claims: 2 }, 'provider', 'Step 3 is under way, after it was interrupted once.'],
    ['was interrupted often', { claims: 4 }, 'provider', 'Step 3 is under way, after it was interrupted 3 times.'],
    [
      'backs off',
      { retry_at: at(9), note: 'The provider is busy' },
      'provider',
      'Step 3 is tried again at 2030-01-01T00:00:09.000Z: The provider is busy',
    ],
    ['is ordered', { status: 'queued', ordered: true }, 'worker', 'The run may start; no worker has taken it yet.'],
    [
      'queues for its organisation',
      { status: 'queued', queues: true, used: 5, position: 3 },
      'slot',
      'All 5 runs that the organisation may have at once are under way; 3 in line.',
    ],
    [
      'queues for the installation',
      { status: 'queued', queues: true, used: 2, position: 1 },
      'slot',
      'All slots of this installation are taken; 1 in line among the runs of the organisation.',
    ],
    [
      'queues for its agent',
      { status: 'queued', queues: true, used: 5, position: 2, agent_allows: 3 },
      'slot',
      'All 3 runs that the agent may have at once (limits.max_concurrent_runs) are under way; 2 in line.',
    ],
    [
      'queues for an agent that does one thing at a time',
      { status: 'queued', queues: true, used: 1, position: 1, agent_allows: 1 },
      'slot',
      'The one run that the agent may have at once (limits.max_concurrent_runs) is under way; 1 in line.',
    ],
    [
      'queues as a run of a batch',
      { status: 'queued', queues: true, used: 4, position: 7, waits_in_batch_line: true },
      'slot',
      'Runs of batches use the capacity that other runs leave: they start when no other run of the organisation waits, and leave a fifth of its 5 concurrent runs free; 7 in line.',
    ],
    [
      'queues for its organisation, for a key of some agents',
      { status: 'queued', queues: true, used: 5, position: 2, sees_all: false },
      'slot',
      'All 5 runs that the organisation may have at once are under way; 2 in line among the runs that you see.',
    ],
    [
      'queues for the installation, for a key of some agents',
      { status: 'queued', queues: true, used: 2, position: 1, sees_all: false },
      'slot',
      'All slots of this installation are taken; 1 in line among the runs that you see.',
    ],
    [
      'queues for the limit of its demo key',
      { status: 'queued', queues: true, used: 2, position: 1, sees_all: false, is_demo_limit_used: true },
      'slot',
      'All 2 runs that the demo key may have at once are under way; 1 in line among the runs that you see.',
    ],
    ['asks once', { status: 'requires_action', actions: [id] }, 'action', 'The run waits for a decision by a person.'],
    [
      'asks twice',
      { status: 'requires_action', actions: [id, id] },
      'action',
      'The run waits for 2 decisions by a person.',
    ],
    [
      'is being cancelled',
      { status: 'cancelling' },
      'worker',
      'The run is being cancelled; it ends when its worker has stopped, or when the grace is over.',
    ],
    ['has ended', { status: 'failed', finished_at: at(8) }, 'nothing', 'The run has ended: failed.'],
  ])('one that %s', (_what, facts, waitingFor, message) => {
    expect(diagnose({ ...running, ...facts })).toMatchObject({ waiting_for: waitingFor, message })
  })
})

test('the waiting time starts at the last progress, the open action, or the end', () => {
  const since = (facts: Partial<RunFacts>) => diagnose({ ...running, ...facts }).since
  expect(since({})).toBe(at(5).toISOString())
  expect(since({ status: 'requires_action', waiting_since: at(6) })).toBe(at(6).toISOString())
  expect(since({ status: 'completed', progress_at: null, finished_at: at(8) })).toBe(at(8).toISOString())
})

test('ids are formatted as in the API, and dates in UTC', () => {
  const found = diagnose({ ...running, status: 'requires_action', actions: [id], holders: [id] })
  expect(found).toMatchObject({
    run_id: expect.stringMatching(/^run_/),
    blocked_by: [found.run_id],
    action_ids: [found.run_id.replace('run_', 'act_')],
    last_progress_at: '2030-01-01T00:00:05.000Z',
    next_deadline_at: '2030-01-01T00:00:50.000Z',
  })
})
