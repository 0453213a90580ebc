import { randomBytes, sha256 } from '@ars/platform/crypto'
import { fromUuid } from '@ars/platform/id'
import type pg from 'pg'
import type { DashboardOptions } from './options.ts'

/** What the pages of the bench name in their addresses. */
export type Rows = {
  /** The cookie of a person with the role owner. */
  token: string
  runId: string
  /** A run whose output is a text of 5 MB. */
  largeRunId: string
  agentId: string
  webhookId: string
}

const largeChars = 5_000_000

/**
 * Writes an organisation of some age straight into the tables. As superuser, because the service would take hours. All
 * runs are of today, since the partitions of earlier days are not there.
 */
export const fillOrganisation = async (
  client: pg.Client,
  organisation: string,
  options: Pick<DashboardOptions, 'runs' | 'agents' | 'webhooks' | 'auditEntries'>,
): Promise<Rows> => {
  const one = async (sql: string, values: readonly unknown[]): Promise<string> => {
    const { rows } = await client.query<{ id: string }>(sql, [...values])
    const id = rows[0]?.id
    if (id === undefined) throw new Error(`no row was written by: ${sql}`)
    return id
  }
  await client.query('set synchronous_commit = off')
  const token = randomBytes(32).toString('base64url')
  const user = await one(addPerson, [organisation, sha256(token)])
  const agent = await one(addAgents, [organisation, options.agents])
  const webhook = await one(addWebhooks, [organisation, options.webhooks, user])
  await client.query(addAuditEntries, [organisation, options.auditEntries, user])
  const run = await one(addRuns, [organisation, options.runs])
  const large = await one(addLargeRun, [organisation, agent, largeChars])
  for (const table of ['agents', 'webhooks', 'audit_log', 'runs', 'run_results']) {
    await client.query(`vacuum analyze ${table}`)
  }
  return {
    token,
    runId: fromUuid('run', run),
    largeRunId: fromUuid('run', large),
    agentId: fromUuid('ag', agent),
    webhookId: fromUuid('wh', webhook),
  }
}

/** An id as the service makes them: its time, then random bits. */
const idAt = (created: string, seed: string): string =>
  `(lpad(to_hex((extract(epoch from ${created}) * 1000)::bigint), 12, '0') || '7' || substr(md5(${seed}), 1, 3)
    || '8' || substr(md5(${seed}), 4, 15))::uuid`

const addPerson = `with person as (
    insert into users (id, email, name) values (${idAt('app_now()', "'user'")}, 'owner@example.com', 'Olivia Owner') returning id
  ), member as (
    insert into members (id, org_id, user_id, role) select ${idAt('app_now()', "'member'")}, $1, id, 'owner' from person
  ), session as (
    insert into sessions (id, org_id, user_id, hash, expires_at, user_agent)
    select ${idAt('app_now()', "'session'")}, $1, id, $2, app_now() + interval '1 day', 'Chromium' from person
  )
  select id from person`

const addAgents = `insert into agents (id, org_id, name, description, kind, source, config)
  select ${idAt("app_now() + n * interval '1 millisecond'", "'agent' || n")}, $1, 'Agent ' || n, 'Answers question ' || n,
         'llm', 'custom', jsonb_build_object('model', 'simulated/echo', 'instructions', repeat('Be kind. ', 50))
    from generate_series(1, $2::integer) n
  returning id`

const addWebhooks = `insert into webhooks (id, org_id, url, events, description, secret, secret_hint, created_by, created_by_type)
  select ${idAt("app_now() + n * interval '1 millisecond'", "'webhook' || n")}, $1, 'https://hooks.example.com/' || n,
         '{run.failed,agent.updated}', 'Receiver ' || n, '\\x00', 'abcd', $3, 'user'
    from generate_series(1, $2::integer) n
  returning id`

const addAuditEntries = `insert into audit_log (id, org_id, number, actor_type, actor_id, action, subject, before, after, hash)
  select ${idAt("app_now() + n * interval '1 millisecond'", "'audit' || n")}, $1,
         n + coalesce((select max(number) from audit_log where org_id = $1), 0), 'user', $3::text, 'agent.update', 'ag_' || n,
         json_build_object('name', 'Agent ' || n), json_build_object('name', 'Agent ' || n + 1), sha256(n::text::bytea)
    from generate_series(1, $2::integer) n`

// Spread over today up to this moment, and over all agents.
const addRuns = `with agent as (
    select array_agg(id) as ids from agents where org_id = $1
  ), made as materialized (
    select n, created_at, ${idAt('created_at', "'run' || n")} as id, ids[1 + n * 31 % cardinality(ids)] as agent_id,
           n % 47 = 1 as failed
      from generate_series(1, $2::integer) n
      cross join agent
      cross join lateral (
        select begins_at + (app_now() - begins_at) * ((n - 0.5) / $2) as created_at
          from (select date_trunc('day', app_now() at time zone 'utc') at time zone 'utc' as begins_at) today
      ) at_time
  ), run as (
    insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, metadata, timeout_seconds, created_at)
    select 2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', id, $1, agent_id, 1, json_build_object('query', 'Which of our suppliers can deliver ' || n || ' units?'), '{}', 600,
           created_at
      from made
  ), result as (
    insert into run_results (last_seq, stored_bytes, run_id, org_id, agent_id, status, output, error, input_tokens, output_tokens, cost_usd,
           started_at, finished_at)
    select 1, 0, id, $1, agent_id, case when failed then 'failed' else 'completed' end,
           case when not failed then json_build_object('result', 'Three of them can deliver ' || n || ' units in time.') end,
           case when failed then json_build_object('code', 'model_error', 'message', 'The provider is away',
             'retryable', true, 'details', null) end,
           40, 12, 0.0001, created_at, created_at + interval '2 seconds'
      from made
  )
  select id from made order by n desc limit 1 offset 3`

const addLargeRun = `with made as (
    select ${idAt('app_now()', "'large'")} as id
  ), run as (
    insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, metadata, timeout_seconds)
    select 2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', id, $1, $2, 1, '{}', '{}', 600 from made
  ), result as (
    insert into run_results (last_seq, output_bytes, stored_bytes, run_id, org_id, agent_id, status, output, input_tokens, output_tokens, cost_usd,
           started_at, finished_at)
    select 1, $3::integer, $3::integer, id, $1, $2, 'completed', json_build_object('result', repeat('A word of fifty. ', $3::integer / 17)), 40, 12, 0.0001,
           app_now(), app_now()
      from made
  )
  select id from made`
