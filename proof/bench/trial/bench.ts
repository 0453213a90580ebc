import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PolicyTrial } from '@ars/contract'
import type { Stack } from '@ars/tools/dev/stack'
import { type ApiCall, apiCaller } from '../../lab/client/api-caller.ts'
import { sizeOf } from '../../lab/options.ts'
import { keepOutcome } from '../../lab/report/keep.ts'
import { bar, claim, type Outcome } from '../../lab/report/outcome.ts'
import { loadAverage, printReport, tell } from '../../lab/report/progress.ts'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { withPortBlock } from '../../lab/stack/port-block.ts'
import { withClient } from '../../lab/stack/sql.ts'
import { readTrialOptions, type TrialOptions } from './options.ts'

export { trialHelp } from './options.ts'

/** For 100,000 steps; fewer steps have as much less time. */
const maxSeconds = 120
const stepsOfLimit = 100_000
const cleanShare = 10

type Seed = { organisation: string; api_key: string }
type Measured = { seconds: number; trial: PolicyTrial; isUnchanged: boolean }

export const benchTrial = async (args: readonly string[]): Promise<boolean> => {
  const options = readTrialOptions(args)
  return withPortBlock(options.base, async (base) => {
    const startedAt = new Date()
    const { stack, dispose } = await openFreshStack({ dir: options.dir, base })
    try {
      await stack.start()
      await stack.command(['migrate'])
      const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
      await plant(stack, seed.organisation, options)
      const measured = await measure(stack, seed)
      printReport(report(options, startedAt, measured))
      keepOutcome({ proof: 'bench-trial', size: sizeOf(options), outcome: outcomeOf(options, measured) })
      return isRight(options, measured)
    } finally {
      await dispose()
    }
  })
}

const plant = async (stack: Stack, org: string, { steps, stepsPerRun }: TrialOptions): Promise<void> => {
  await withClient(stack.postgres.superuserUrl('ars'), async (client) => {
    await client.query('set synchronous_commit = off')
    await client.query(plantRuns, [org, Math.ceil(steps / stepsPerRun), stepsPerRun, ordinary, cleanShare])
    for (const table of ['runs', 'run_results', 'run_steps']) await client.query(`vacuum analyze ${table}`)
  })
  tell(`${steps.toLocaleString('en')} steps planted`)
}

const rules = [
  { check: 'pii', stages: ['input', 'output'], action: 'redact', params: {} },
  { check: 'secrets', stages: ['input', 'output'], action: 'block', params: {} },
  {
    check: 'keywords',
    stages: ['input', 'output'],
    action: 'flag',
    params: { words: ['refund', 'lawsuit', 'chargeback'] },
  },
]

const measure = async (stack: Stack, seed: Seed): Promise<Measured> => {
  const before = await hashOfRuns(stack)
  const server = stack.server({ role: 'all', env: { ARS_LOG_LEVEL: logLevel } })
  await server.start()
  const caller = apiCaller({ port: stack.ports.gateway[0] ?? 0, ca: readFileSync(stack.tls.certFile) })
  const call = async <Body>(asked: ApiCall): Promise<Body> => {
    const answer = await caller.call({ ...asked, headers: { authorization: `Bearer ${seed.api_key}` } })
    if (answer.status >= 300) throw new Error(`${asked.method} ${asked.path} answered ${answer.status}: ${answer.text}`)
    return JSON.parse(answer.text) as Body
  }
  const policy = await call<{ id: string }>({ method: 'POST', path: '/v2/policies', body: { name: 'Bench', rules } })
  const since = new Date(Date.now() - 86_400_000).toISOString()
  const path = `/v2/policies/${policy.id}/trials`
  const beganMs = performance.now()
  let trial = await call<PolicyTrial>({ method: 'POST', path, body: { since, sample: 100_000 } })
  while (trial.ended_at === null) {
    await sleep(250)
    trial = await call<PolicyTrial>({ method: 'GET', path: `${path}/${trial.id}` })
  }
  const seconds = (performance.now() - beganMs) / 1_000
  caller.close()
  await server.stop()
  return { seconds, trial, isUnchanged: (await hashOfRuns(stack)) === before }
}

const hashOfRuns = (stack: Stack): Promise<string> =>
  withClient(stack.postgres.superuserUrl('ars'), async (client) => {
    const hashes: string[] = []
    for (const table of [
      'runs',
      'run_results',
      'run_steps',
      'run_events',
      'run_actions',
      'run_redactions',
      'run_heads',
    ]) {
      const { rows } = await client.query<{ hash: string }>(
        `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as hash from ${table} t`,
      )
      hashes.push(`${table} ${rows[0]?.hash}`)
    }
    return hashes.join('\n')
  })

const limitOf = ({ steps }: TrialOptions): number => (maxSeconds * steps) / stepsOfLimit

const outcomeOf = (options: TrialOptions, { seconds, trial, isUnchanged }: Measured): Outcome => ({
  claims: [
    claim('the trial completes', trial.status === 'completed', trial.status),
    claim('every run and every content is judged', isWhole(options, trial), JSON.stringify(trial.coverage)),
    claim(
      'every rule finds its runs',
      trial.rules.every(({ runs }) => runs > 0),
      JSON.stringify(trial.rules),
    ),
    claim('no row of a run changes', isUnchanged, 'the rows differ'),
    bar('seconds of the trial', seconds, { most: limitOf(options) }, 1),
  ],
  metrics: [['contents per second', Math.round(trial.coverage.contents / seconds)]],
})

// Every step has a text, and every run an input.
const isWhole = (options: TrialOptions, { coverage }: PolicyTrial): boolean => {
  const runs = Math.ceil(options.steps / options.stepsPerRun)
  return coverage.runs === runs && coverage.contents === runs * (options.stepsPerRun + 1)
}

const isRight = (options: TrialOptions, { seconds, trial, isUnchanged }: Measured): boolean => {
  const found = trial.rules.map((rule) => rule.runs)
  return (
    trial.status === 'completed' &&
    isUnchanged &&
    isWhole(options, trial) &&
    found.every((n) => n > 0) &&
    seconds <= limitOf(options)
  )
}

const ordinary = Array.from(
  { length: 12 },
  (_, n) =>
    `The customer wrote on day ${n + 1} that the parcel had arrived late and that a reply by mail would be fine. `,
).join('')

// One step in ten holds an address, a key and a word. Texts have about 1 KB, and each is different.
const plantRuns = `with run as materialized (
    select n, app_now() - interval '20 hours' + n * interval '1 second' * 60000 / $2::integer as created_at from generate_series(1, $2::integer) n
  ), made as materialized (
    select n, created_at, (left(uuid_floor(created_at)::text, 14) || '7' || substr(md5('a' || n), 1, 3)
            || '-8' || substr(md5('b' || n), 1, 3) || '-' || substr(md5('c' || n), 1, 12))::uuid as id
      from run
  ), started as (
    insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds, created_at)
    select 2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', id, $1, md5('agent')::uuid, 1, json_build_object('prompt', 'Question ' || n), 600, created_at from made
  ), ended as (
    insert into run_results (last_seq, run_id, org_id, agent_id, status, output, input_tokens, output_tokens, started_at, finished_at, stored_bytes)
    select 1, id, $1, md5('agent')::uuid, 'completed', '{"result": "done"}', 900, 200, created_at, created_at, $3::integer * 1100 from made
  )
  insert into run_steps (run_id, step, org_id, epoch, attempt, kind, output, started_at)
  select id, step, $1, 1, 1, 'model', json_build_object('text', left(n || ' ' || step || ' ' || $4::text, 980) || case
           when (n * 7 + step) % $5::integer = 0 then ' anna' || n || '@example.com, AKIA' || translate(upper(substr(md5(n || 'k' || step), 1, 16)), '0189', 'WXYZ') || ', refund'
           else ' Kind regards.' end), created_at
    from made, generate_series(1, $3::integer) step`

const report = (options: TrialOptions, startedAt: Date, measured: Measured): string => {
  const { seconds, trial, isUnchanged } = measured
  const { coverage, delay_ms: delay } = trial
  return `# Bench: a trial on history

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, load ${loadAverage().toFixed(1)}, everything on one machine. Made by \`${options.command}\`.

A policy with three deterministic rules (personal data, secrets, three words) on ${options.steps.toLocaleString('en')} stored steps of 1 KB in ${coverage.runs.toLocaleString('en')} runs. The worker works for at most half of the time.

| | measured | limit |
|---|---|---|
| time of the trial | ${seconds.toFixed(1)} s | ${limitOf(options).toFixed(0)} s |
| contents judged | ${coverage.contents.toLocaleString('en')} | |
| contents per second | ${Math.round(coverage.contents / seconds).toLocaleString('en')} | |
| checks of one content, p50 and p95 | ${delay.p50} ms and ${delay.p95} ms | |
| found, by rule | ${trial.rules.map(({ check, blocked, redacted, flagged }) => `${check} ${blocked + redacted + flagged}`).join(', ')} | |
| rows of runs before and after | ${isUnchanged ? 'equal' : 'different'} | equal |

All ${isRight(options, measured) ? '' : 'do not '}hold.
`
}
