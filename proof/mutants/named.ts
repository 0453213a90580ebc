import type { Mutant } from './draw.ts'
import { faultsOfLoop } from './faults/loop.ts'
import { faultsOfRunPath } from './faults/run-path.ts'
import { faultsOfSecurity } from './faults/security.ts'
import { faultsOfSlices } from './faults/slices.ts'
import { faultsOfTraces } from './faults/traces.ts'
import { faultsOfWork } from './faults/work.ts'

const core = 'packages/core/src/'

/** Faults that change nothing that anybody can see: no test can find them, and no draw has them. */
const withoutEffect: readonly (readonly [name: string, file: string, from: string, reason: string])[] = [
  [
    'P8 next_item can go back',
    'pipelines/run/progress.store.ts',
    'next_item = greatest(s.next_item, excluded.next_item)',
    'It is written under the lock of the head, from the row that was read under it, and planProgress never lowers it.',
  ],
  [
    'S2 the clock was set back',
    'schedules/schedule.sweep.ts',
    'const until = new Date(Math.max(schedule.now.getTime(), after.getTime()))',
    'Every write makes due_at later than handled_until, and only a schedule with due_at <= app_now() is taken.',
  ],
  [
    'U2 two workers count one note',
    'usage/rollup.store.ts',
    'order by noted_in limit :limit for update skip locked)',
    'The delete locks the same rows: the second worker waits for the first, finds them deleted and counts none of them.',
  ],
  [
    'a bucket from which nothing was taken',
    'limits/bucket-script.ts',
    'if passing > 0 or charge > 0 or isForged then',
    'It is stored again with the same value and the same life.',
  ],
  [
    'a bucket of this moment',
    'limits/bucket-script.ts',
    'local isForged = at > now',
    'It is stored again with the same value and the same life.',
  ],
  [
    'the number of open actions',
    'runs/control/action.ts',
    'if (only && open.length === 1) return only\n  if (open.length > 1)',
    'A list of one has a first item, and it was returned: one that is not empty then has several.',
  ],
  [
    'the range of the events of a batch',
    'webhooks/deliver/fan-out.store.ts',
    'and e.id >= :firstId and e.id <= :lastId',
    'The ids are named. Their range says which partitions are opened.',
  ],
  [
    'where the waiting runs begin',
    'runs/queue/admission.store.ts',
    'and moved_in >= n.waiting_from and moved_in < n.mark), n.mark)',
    'No run that waits moved in earlier. The bound spares the index entries of runs that have left the queue.',
  ],
  [
    'where the admitted runs begin',
    'runs/queue/admission.store.ts',
    'where is_admitted and moved_in >= n.admitted_from and moved_in < n.mark\n',
    'The earlier ones are added by their ids. Without the bound they stand in the list twice, and the list is only searched.',
  ],
  [
    'the epoch of a delta',
    'runs/feed/delta.store.ts',
    'and h.run_id = n.run_id and h.epoch = n.epoch\n       and h.attempt = n.attempt and h.claim_id = n.claim_id',
    'The id of a claim is random, so it implies the epoch and the attempt.',
  ],
  [
    'the epoch and the attempt of a finding',
    'runs/execute/finding.store.ts',
    'and run_id = :runId and epoch = :epoch and attempt = :attempt and claim_id',
    'The id of a claim is random, so it implies both.',
  ],
  [
    'the model of a remote step',
    'runs/execute/claim.sql.ts',
    "case when next_type is null and kind = 'llm' then config ->> 'model' end",
    'The configuration of a remote agent names no model.',
  ],
  [
    'the days of a delta in doubt',
    'runs/feed/delta.store.ts',
    "const recentDeltas = `created_at > app_now() - interval '1 day' and created_at < app_now() + interval '1 day'`",
    'It was sent a moment ago. The days say which partitions are opened.',
  ],
  [
    'questions that hold nothing back',
    'runs/control/deadline.store.ts',
    'and a.held is not null',
    'Without it, null is written where null stands.',
  ],
]

const pathOf = (path: string): string => (/^(apps|deploy|packages)\//.test(path) ? path : core + path)

const standing = (name: string, path: string, from: string, read: (file: string) => string) => {
  const file = pathOf(path)
  return { name, file, at: read(file).indexOf(from), from }
}

/** Faults that a test finds, and must go on finding. */
export const namedMutants = (read: (file: string) => string): (Mutant & { tests: readonly string[] })[] =>
  [...faultsOfSlices, ...faultsOfLoop, ...faultsOfTraces, ...faultsOfWork, ...faultsOfRunPath, ...faultsOfSecurity].map(
    ([name, path, from, to, ...tests]) => ({ ...standing(name, path, from, read), to, tests: tests.map(pathOf) }),
  )

/** The texts in which no fault is planted. */
export const equivalents = (read: (file: string) => string): Omit<Mutant, 'to'>[] =>
  withoutEffect.map(([name, path, from]) => standing(name, path, from, read))
