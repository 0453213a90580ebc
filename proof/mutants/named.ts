import type { Mutant } from './draw.ts'

const core = 'packages/core/src/'

/**
 * Faults in schedules, batches, pipelines, usage, alerts, budgets, mail and moves. A test finds each of them, and must go on
 * finding it.
 */
const rows: readonly (readonly [name: string, file: string, from: string, to: string])[] = [
  [
    'A1 alerts and events in two transactions',
    'alerts/evaluation.service.ts',
    "if (transition === 'resolves') await resolve(tx, rule, 'recovered')",
    "if (transition === 'resolves') await system.transaction(rule.org_id, (other) => resolve(other, rule, 'recovered'))",
  ],
  [
    'A2 a rule moves although it has changed',
    'alerts/due-rule.store.ts',
    'where org_id = :org and id = :id and revision = :revision and enabled',
    'where org_id = :org and id = :id and enabled',
  ],
  ['A3 no margin', 'alerts/alert-rule.ts', 'const margin = 0.1', 'const margin = 0'],
  ['A4 no time to clear', 'alerts/alert-rule.ts', 'const minClearSeconds = 300', 'const minClearSeconds = 0'],
  [
    'A5 stale figures are evaluated',
    'alerts/due-rule.store.ts',
    ':asOf::timestamptz >= app_now() - make_interval(secs => :staleAfterMs::double precision / 1000)',
    ':asOf::timestamptz is not null and :staleAfterMs::double precision > 0',
  ],
  [
    'B2 a row held by a worker is not woken',
    'work-rows.sql.ts',
    "'(due_at > app_now() or held_until > app_now())'",
    "'(due_at > app_now())'",
  ],
  [
    'B3 batch fence',
    'batches/batch-work.store.ts',
    'where org_id = :org and id = :id and claim = :claim::bigint and due_at is not null for update`',
    'where org_id = :org and id = :id and :claim::bigint > 0 and due_at is not null for update`',
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
    'B7 a cancel is passed on once only',
    'batches/batch-work.store.ts',
    '(cancelled_at is null or cancelled_at <= app_now() - make_interval(secs => :againAfterSeconds::integer))',
    '(cancelled_at is null and :againAfterSeconds::integer > 0)',
  ],
  [
    'B8 a batch takes the room of the others',
    'batches/batch.ts',
    'const ofLine = Math.ceil((half(allowed) - inLine) / Math.max(1, active))',
    'const ofLine = active === 0 ? 0 : half(allowed) - inLine',
  ],
  ['G1 two workers announce', 'budgets/reached.store.ts', '         for no key update of b`', '`'],
  [
    'G2 parked runs are not looked at with the next month',
    'budgets/wait.store.ts',
    'when ${hasRoom} then app_now() else ${budgetReset} end',
    'when ${hasRoom} then app_now() end',
  ],
  [
    'G3 counters are marked after they are read',
    'budgets/reached.store.ts',
    '  await tx.query(see({ org, subjectId }))\n  const [row] = await tx.query(lock({ org, subjectId }))\n  return row ?? null',
    '  const [row] = await tx.query(lock({ org, subjectId }))\n  await tx.query(see({ org, subjectId }))\n  return row ?? null',
  ],
  [
    'G4 a new month announces nothing',
    'budgets/spend.sql.ts',
    'case when b.told_month = ${budgetMonth} then b.told_percent else 0 end',
    'b.told_percent',
  ],
  [
    'G5 raising a budget looks at no waiting run',
    'budgets/budget.store.ts',
    '            resume_at = case when b.resume_at is not null then app_now() end',
    '            resume_at = b.resume_at',
  ],
  [
    'G6 notes of a month: parked when used up exactly',
    'budgets/wait.store.ts',
    "or b.monthly_usd > ${spentOf('b.subject_id')})",
    "or b.monthly_usd >= ${spentOf('b.subject_id')})",
  ],
  [
    'M1 a sent mail whose lease passed on is sent again',
    'mail/mail-send.store.ts',
    "and (attempts = :attempts or :outcome = 'sent') returning id",
    'and attempts = :attempts returning id',
  ],
  [
    'M2 mails of a closed organisation are sent',
    'work-rows.sql.ts',
    '          -- The cell to which an organisation moves works for it.\n          and org_id <> all (array(select id from closed_organisations))\n',
    '',
  ],
  [
    'M3 no bound of event mails',
    'mail/mail-fan-out.store.ts',
    'limit ${limits.eventMailsPerDay}) today) <= ${limits.eventMailsPerDay}',
    'limit 1) today) <= ${limits.eventMailsPerDay}',
  ],
  [
    'M4 test events are mailed',
    'mail/mail-fan-out.store.ts',
    'and e.webhook_id is null and e.type = any (:types::text[])',
    'and e.type = any (:types::text[])',
  ],
  [
    'P1 giving back overwrites a wake',
    'work-rows.sql.ts',
    'case when due_at <= app_now() then due_at else app_now() + make_interval(secs => :afterMs::double precision / 1000) end',
    'app_now() + make_interval(secs => :afterMs::double precision / 1000)',
  ],
  [
    'P2 a cancelled run does not wake',
    'pipelines/run/wake.store.ts',
    "e.type in ('run.completed', 'run.failed', 'run.cancelled', 'run.requires_action')",
    "e.type in ('run.completed', 'run.failed', 'run.requires_action')",
  ],
  [
    'P3 an expired question can be answered',
    'pipelines/run/question.store.ts',
    "and closed_at is null and state = 'started' and (due_at is null or due_at > app_now())",
    "and closed_at is null and state = 'started'",
  ],
  [
    'P4 refused items count as runs',
    'pipelines/run/advance.service.ts',
    "const counted = head.state.runs - (moved.get('refused') ?? 0)",
    'const counted = head.state.runs',
  ],
  [
    'P6 open items are not locked',
    'pipelines/run/progress.store.ts',
    'order by i.step, i.item, i.attempt for update of i`',
    'order by i.step, i.item, i.attempt`',
  ],
  [
    'P9 claim of a pipeline is no fence',
    'pipelines/run/head.store.ts',
    'where org_id = :org and pipeline_run_id = :id and claim = :claim for update`',
    'where org_id = :org and pipeline_run_id = :id and :claim >= 0 for update`',
  ],
  [
    'D1 organisations with much use take the kept places for deliveries',
    'webhooks/deliver/attempt-start.sql.ts',
    'where not is_heavy or n <= :maxHeavy::integer order by is_heavy, turn limit :maxAttempts',
    'where not is_heavy or :maxHeavy::integer >= 0 order by is_heavy, turn limit :maxAttempts',
  ],
  [
    'D2 organisations with much use come first',
    'webhooks/deliver/attempt-start.sql.ts',
    'order by is_heavy, turn limit :maxAttempts',
    'order by is_heavy desc, turn limit :maxAttempts',
  ],
  [
    'D3 an attempt is sent after its time',
    'webhooks/deliver/sender.service.ts',
    '!turn.mayGoOn() || clock.monotonicMs() - askedMs > startWithinMs',
    '!turn.mayGoOn() || askedMs < 0',
  ],
  [
    'D4 the places of an organisation do not count',
    'webhooks/deliver/endpoint-queue.store.ts',
    ': Math.max(0, perOrg - places)',
    ': Math.max(0, perOrg)',
  ],
  [
    'D5 the bodies under way have no bound',
    'webhooks/deliver/sender.service.ts',
    'const bytes = await turn.takeBytes(maxBodyBytes)',
    'const bytes = { correct: (_: number) => undefined }',
  ],
  [
    'R1 the claim of a recovery is no fence',
    'webhooks/recover/recovery.store.ts',
    'and claim = :claim::bigint and cursor is not distinct from :cursor',
    'and :claim::bigint >= 0 and cursor is not distinct from :cursor',
  ],
  [
    'R2 a recovery that waits for its deliveries is looked at without pause',
    'webhooks/recover/recovery-queue.service.ts',
    "const waiting: Outcome = { kind: 'later', afterMs: 500, progressed: true }",
    "const waiting: Outcome = { kind: 'again', progressed: true }",
  ],
  [
    'R3 a buried recovery goes on',
    'webhooks/recover/recovery-queue.service.ts',
    'if (recovery)\n',
    'if (recovery === null)\n',
  ],
  [
    'T1 the claim of a trial is no fence',
    'guardrails/trial/trial-work.store.ts',
    'org_id = :org and id = :id and claim = :claim::bigint and ended_at is null`',
    'org_id = :org and id = :id and :claim::bigint >= 0 and ended_at is null`',
  ],
  [
    'T2 a trial keeps its place',
    'guardrails/trial/trial-queue.service.ts',
    'turn.mayGoOn() && clock.monotonicMs() - startedMs < usualBounds.turnMs',
    'turn.mayGoOn() && startedMs >= 0',
  ],
  [
    'T3 each trial uses half a core',
    'guardrails/trial/trial-queue.service.ts',
    'await pause(Math.max(0, worked - outsideMs) * (2 * share() - 1))',
    'await pause(Math.max(0, worked - outsideMs) * (share() > 0 ? 1 : 0))',
  ],
  [
    'T4 an erasure keeps the holder of a trial',
    'guardrails/trial/trial.store.ts',
    'claim = claim + 1, held_until = null,\n          due_at = case',
    'held_until = null,\n          due_at = case',
  ],
  [
    'A6 figures that cannot be read keep all rules',
    'alerts/alert.sweep.ts',
    'if (error instanceof DatabaseUnavailable) throw error\n  }\n  const read',
    'throw error\n  }\n  const read',
  ],
  [
    'O1 a table whose rows cannot be deleted keeps those of the others',
    'retention/old-rows.sweep.ts',
    'if (error instanceof DatabaseUnavailable) throw error',
    'if (error instanceof Error) throw error',
  ],
  [
    'O2 old rows are deleted in every round',
    'retention/old-rows.sweep.ts',
    'if (nowMs < (nextMs.get(rows) ?? nowMs)) continue',
    'if (nextMs.get(rows) === Number.POSITIVE_INFINITY) continue',
  ],
  [
    'O3 tokens that have a session are forgotten with it',
    'retention/old-rows.sql.ts',
    ' and not exists (select from session_tokens t where t.session_id = sessions.id)',
    '',
  ],
  [
    'O4 an archived schedule is deleted before its firings',
    'retention/old-rows.sql.ts',
    ' and not exists (select from schedule_firings f where f.schedule_id = schedules.id)',
    '',
  ],
  [
    'S1 pause while a start is under way: the run is not recorded',
    'schedules/due-firing.store.ts',
    "and status in ('due', 'queued', 'skipped')`",
    "and status in ('due', 'queued')`",
  ],
  [
    'S3 an unknown outcome is tried again',
    'schedules/firing-start.service.ts',
    "return lateMs > firingLimits.repeatHours * 3_600_000 ? 'outcome_unknown' : null",
    "return lateMs > 100 * firingLimits.repeatHours * 3_600_000 ? 'outcome_unknown' : null",
  ],
  [
    'S6 the cost of a firing is counted twice',
    'schedules/due-firing.store.ts',
    "where f.org_id = :org and f.id = a.id and f.status = 'started' and f.ended_at is null\n     returning",
    "where f.org_id = :org and f.id = a.id and f.status = 'started'\n     returning",
  ],
  [
    'S7 no share of an organisation',
    'work-rows.sql.ts',
    'from numbered where n + places <= :perOrg::integer',
    'from numbered where :perOrg::integer > 0',
  ],
  [
    'S8 spending of last month counts',
    'schedules/due-firing.store.ts',
    'case when s.spent_month = ${spendMonth} then s.spent_usd else 0 end + c.cost_usd',
    's.spent_usd + c.cost_usd',
  ],
  [
    'S9 a schedule with a new creator is paused for the old one',
    'schedules/schedule.store.ts',
    '         and created_by = :createdBy and coalesce(agent_id, pipeline_id) = :targetId',
    '         and :createdBy::uuid is not null and :targetId::uuid is not null',
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
    '(select min(created_at) from events where position is null and ${isEnd} and ${isOfOrg}),',
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
    'retention/old-rows.sql.ts',
    "bucket < app_now() - interval '13 months'",
    "bucket < app_now() - interval '11 months'",
  ],
  ['U6 rebuild keeps empty rows', 'usage/rebuild.store.ts', '      await tx.query(deleteEmpty({ day }))\n', ''],
  [
    'V1 a move does not wait for open transactions',
    'apps/server/src/admin/move-org.ts',
    'if (!(await waitForOthers(owner, maxOthersMs)))',
    'if (maxOthersMs < 0 && !(await waitForOthers(owner, maxOthersMs)))',
  ],
  [
    'V2 pending deliveries are copied ahead',
    'apps/server/src/admin/move-rows.ts',
    "  deliveries: `status <> 'pending'`,",
    '',
  ],
  [
    'V3 a move does not wait for positions',
    'apps/server/src/admin/move-rows.ts',
    'if (events + ends === 0 && (deliveries === 0',
    'if ((deliveries === 0',
  ],
]

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
]

const standing = (name: string, path: string, from: string, read: (file: string) => string) => {
  const file = path.startsWith('apps/') ? path : core + path
  return { name, file, at: read(file).indexOf(from), from }
}

export const namedMutants = (read: (file: string) => string): Mutant[] =>
  rows.map(([name, path, from, to]) => ({ ...standing(name, path, from, read), to }))

/** The texts in which no fault is planted. */
export const equivalents = (read: (file: string) => string): Omit<Mutant, 'to'>[] =>
  withoutEffect.map(([name, path, from]) => standing(name, path, from, read))
