import { limits, scheduleLimits } from '@ars/contract'
import { type Statement, sql, statement } from '@ars/platform/db/statement'

/** Rows that are deleted when they are old. */
export type OldRows = {
  readonly table: string
  readonly everySeconds: number
  /** A page of them. `days`: the time for which organisations keep their runs. */
  page(ask: { days: number; limit: number }): Statement
}

type Which = { name?: string; everySeconds: number; order?: string }

/** `old`: what says of a row of the table that it is old. Rows that another transaction has are left for the next round. */
const pageOf = (table: string, old: string, order?: string): string =>
  sql`delete from ${table} where ctid = any (array(
        select ctid from ${table} where ${old}${order === undefined ? '' : ` order by ${order}`} limit :limit for update skip locked))
      returning 1`

const rowsOf = (table: string, old: string, { name = table, everySeconds, order }: Which): OldRows => {
  const page = statement<{ limit: number }>(`${name}.delete_old`, pageOf(table, old, order))
  return { table, everySeconds, page: ({ limit }) => page({ limit }) }
}

/** Rows that are kept as long as runs. `:days` stands in `old`. */
const keptAsRuns = (table: string, old: string, { name = table, everySeconds, order }: Which): OldRows => {
  const page = statement<{ days: number; limit: number }>(`${name}.delete_beyond`, pageOf(table, old, order))
  return { table, everySeconds, page }
}

const ago = (days: number): string => `app_now() - interval '${days} days'`
const beyond = 'app_now() - make_interval(days => :days::integer)'
/** How long ended sessions and links can still be looked up. */
const endedDays = 30
const tenMinutes = { everySeconds: 600 }
const hour = { everySeconds: 3_600 }

// Samples of a trial quote runs, and go with them.
const oldSamples = statement<{ days: number; limit: number }>(
  'policy_trials.erase_beyond',
  sql`update policy_trials
      set samples = coalesce((
        select json_agg(s order by n) from json_array_elements(samples) with ordinality as x (s, n)
         where (s ->> 'run')::uuid >= uuid_floor(${beyond})), '[]')
    where id = any (array(
      select id from policy_trials
       where ended_at is not null and exists (
         select from json_array_elements(samples) as s where (s ->> 'run')::uuid < uuid_floor(${beyond}))
       limit :limit for update skip locked))
   returning 1`,
)

/**
 * Every table whose rows are deleted by their age, in this order: rows that refer to others come first. Partitions are dropped
 * with their day.
 */
export const oldRows: readonly OldRows[] = [
  rowsOf('idempotency_keys', 'expires_at <= app_now()', { everySeconds: 30 }),
  rowsOf('session_tokens', 'expires_at <= app_now()', { everySeconds: 60, order: 'expires_at' }),
  rowsOf('run_shares', 'expires_at <= app_now()', { everySeconds: 60, order: 'expires_at' }),
  rowsOf('login_attempts', `window_at < app_now() - interval '${limits.loginWindowSeconds} seconds'`, tenMinutes),
  // The audit log keeps the record of a session.
  rowsOf(
    'sessions',
    `least(ended_at, expires_at) < ${ago(endedDays)} and not exists (select from session_tokens t where t.session_id = sessions.id)`,
    tenMinutes,
  ),
  // As long as the cookie of the browser.
  rowsOf('login_devices', `used_at < ${ago(180)}`, tenMinutes),
  rowsOf('password_resets', `least(used_at, expires_at) < ${ago(endedDays)}`, tenMinutes),
  rowsOf('email_proofs', `least(used_at, expires_at) < ${ago(endedDays)}`, tenMinutes),
  rowsOf('invitations', `least(accepted_at, revoked_at, expires_at) < ${ago(endedDays)}`, tenMinutes),
  // Without the address and the link.
  rowsOf('mails', `ended_at < ${ago(7)}`, tenMinutes),
  // Counts of addresses belong to no organisation. Older ones bound nothing.
  rowsOf('mail_recipients', `created_at < ${ago(1)}`, tenMinutes),
  keptAsRuns('alerts', `resolved_at < ${beyond}`, tenMinutes),
  // Their items are in partitions.
  keptAsRuns('batches', `id < uuid_floor(${beyond}) and finished_at is not null`, { ...tenMinutes, order: 'id' }),
  { table: 'policy_trials', ...tenMinutes, page: oldSamples },
  keptAsRuns('policy_trials', `ended_at < ${beyond}`, tenMinutes),
  rowsOf('schedule_firings', `ended_at < ${ago(scheduleLimits.firingDays)}`, tenMinutes),
  rowsOf(
    'schedules',
    `archived_at < ${ago(scheduleLimits.firingDays)} and not exists (select from schedule_firings f where f.schedule_id = schedules.id)`,
    tenMinutes,
  ),
  rowsOf('usage_buckets', `width = 'minute' and bucket < ${ago(8)}`, {
    ...tenMinutes,
    name: 'usage_minutes',
    order: 'bucket',
  }),
  rowsOf('usage_buckets', `width in ('quarter', 'hour', 'day') and bucket < app_now() - interval '13 months'`, {
    ...{ ...tenMinutes, order: 'bucket' },
  }),
  rowsOf('work_uses', `since < app_now() - interval '65 minutes'`, { everySeconds: 60 }),
  rowsOf(
    'budget_spend',
    `month < date_trunc('month', app_now() at time zone 'utc')::date - interval '13 months'`,
    hour,
  ),
  // Runs that were accepted before the oldest one are deleted. A day is far longer than a gateway uses a set that was replaced.
  rowsOf(
    'policy_sets',
    `replaced_at < coalesce((select uuid_time(r.id) from runs r order by r.id limit 1), app_now()) - interval '1 day'`,
    { ...hour, order: 'replaced_at' },
  ),
]
