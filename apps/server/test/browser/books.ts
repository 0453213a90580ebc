import type { App } from '../app.ts'

/**
 * Everything that a browser's write could change, as one text for each table. Columns that every request or a sweep
 * touches are omitted.
 */
export const readTables = async (app: App): Promise<Record<string, string>> => {
  const perTable = tables.map(
    (
      table,
    ) => `select '${table}' as name, count(*) || ' ' || coalesce(md5(string_agg(row, '|' order by row)), '') as content
      from (select (to_jsonb(t) - 'seen_at' - 'last_used_at' - 'stored_bytes')::text as row from ${table} t) rows`,
  )
  const rows = await app.query<{ name: string; content: string }>(perTable.join(' union all '))
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]))
}

const tables = [
  'agents',
  'api_keys',
  'audit_log',
  'call_counts',
  'connectors',
  'idempotency_keys',
  'invitations',
  'login_attempts',
  'members',
  'organisations',
  'password_resets',
  'run_actions',
  'run_events',
  'run_heads',
  'run_messages',
  'run_results',
  'runs',
  'session_tokens',
  'sessions',
  'users',
]
