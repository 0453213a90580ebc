import type { Mutant } from './draw.ts'

const core = 'packages/core/src/'

/**
 * Faults in schedules, batches, pipelines, usage, alerts, budgets, mail and moves that the tests found when this list was made.
 * They must go on finding them.
 */
const rows: readonly (readonly [name: string, file: string, from: string, to: string])[] = [
  ['A3 no margin', 'alerts/alert-rule.ts', 'const margin = 0.1', 'const margin = 0'],
  [
    'A5 stale figures are evaluated',
    'alerts/due-rule.store.ts',
    ':asOf::timestamptz >= app_now() - make_interval(secs => :staleAfterMs::double precision / 1000)',
    ':asOf::timestamptz is not null and :staleAfterMs::double precision > 0',
  ],
  [
    'B2 a batch held by a worker is not woken',
    'batches/batch-work.store.ts',
    'and (b.due_at > app_now() or b.held_until > app_now()) order by',
    'and b.due_at > app_now() order by',
  ],
  [
    'B4 an item gets two runs',
    'batches/batch-claim.sql.ts',
    "and i.number = a.number and i.state = 'waiting'",
    'and i.number = a.number',
  ],
  [
    'B6 items never expire',
    'batches/batch-work.store.ts',
    'b.created_at <= app_now() - make_interval(days => :days::integer) as is_expired',
    'b.created_at <= app_now() - make_interval(days => 100 * :days::integer) as is_expired',
  ],
  [
    'B8 a batch takes the room of the others',
    'batches/batch.ts',
    'const ofLine = Math.ceil((half(allowed) - inLine) / Math.max(1, active))',
    'const ofLine = active === 0 ? 0 : half(allowed) - inLine',
  ],
  [
    'G2 parked runs are not looked at with the next month',
    'budgets/wait.store.ts',
    'when ${hasRoom} then app_now() else ${budgetReset} end',
    'when ${hasRoom} then app_now() end',
  ],
  [
    'G5 raising a budget looks at no waiting run',
    'budgets/budget.store.ts',
    '            resume_at = case when b.resume_at is not null then app_now() end',
    '            resume_at = b.resume_at',
  ],
  [
    'P2 a cancelled run does not wake',
    'pipelines/run/wake.store.ts',
    "e.type in ('run.completed', 'run.failed', 'run.cancelled', 'run.requires_action')",
    "e.type in ('run.completed', 'run.failed', 'run.requires_action')",
  ],
  [
    'P4 refused items count as runs',
    'pipelines/run/advance.service.ts',
    "const counted = head.state.runs - (moved.get('refused') ?? 0)",
    'const counted = head.state.runs',
  ],
  [
    'S3 an unknown outcome is tried again',
    'schedules/firing-start.service.ts',
    "if (lateMs > firingLimits.repeatHours * 3_600_000) return 'outcome_unknown'",
    "if (lateMs > 100 * firingLimits.repeatHours * 3_600_000) return 'outcome_unknown'",
  ],
  [
    'S7 no share of an organisation',
    'schedules/due-firing.store.ts',
    'select id from oldest where turn <= :perOrganisation order by turn, date limit :limit',
    'select id from oldest where :perOrganisation::integer > 0 order by date limit :limit',
  ],
  [
    'U1 two workers count',
    'usage/rollup.store.ts',
    'sql`select position from usage_cursor for update skip locked`',
    'sql`select position from usage_cursor`',
  ],
  [
    'U3 as_of ignores ends without a position',
    'usage/rollup.store.ts',
    '(select min(created_at) from events where position is null and type in ${endTypes} and ${isOfOrg}),',
    'null::timestamptz,',
  ],
  [
    'U4 rotated keys are not one key',
    'usage/rollup.sql.ts',
    'coalesce(k.bucket_id, k.id, ${nobody})',
    'coalesce(k.id, ${nobody})',
  ],
  [
    'U5 figures of days are deleted early',
    'usage/rollup.store.ts',
    "interval '13 months' order by",
    "interval '11 months' order by",
  ],
]

export const namedMutants = (read: (file: string) => string): Mutant[] =>
  rows.map(([name, path, from, to]) => {
    const file = path.startsWith('apps/') ? path : core + path
    return { name, file, at: read(file).indexOf(from), from, to }
  })
