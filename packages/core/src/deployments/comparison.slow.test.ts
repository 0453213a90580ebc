import { listStatements } from '@ars/platform/db/statement'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DeploymentWorld, openDeploymentWorld, placeCanary } from '../../test/deployment-world.ts'

let world: DeploymentWorld
beforeAll(async () => {
  world = await openDeploymentWorld()
})
afterAll(() => world.close())

test('a window with 100,000 runs is read by index, the newest 2,000 of each side (deploymentsBounds.runsCompared)', {
  timeout: 120_000,
}, async () => {
  const { org, agent, out, base, compare } = await placeCanary(world)
  await world.sql(
    `with run as (
       insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, deployment_id, is_watched, input, timeout_seconds, created_at)
       select 2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', (left(uuid_floor(app_now() - make_interval(secs => n % 3000))::text, 13) || '-7' || substr(gen_random_uuid()::text, 16))::uuid,
              $1, $2, 1, (array[$3, $4]::uuid[])[1 + n % 2], true, '{}', 600, app_now() - make_interval(secs => n % 3000)
         from generate_series(1, 100000) n
       returning id, created_at
     )
     insert into run_results (stored_bytes, run_id, org_id, agent_id, status, input_tokens, output_tokens, cost_usd, waiting_ms, last_seq, finished_at)
     select 0, id, $1, $2, 'completed', 0, 0, 0, 0, 1, created_at from run`,
    [org, agent, out.id, base.id],
  )
  await world.sql('analyze runs')
  await world.sql('analyze run_results')
  const compared = await compare()
  expect(compared).toMatchObject({ canary: { runs: 2_000 }, running: { runs: 2_000 } })
  const shape = listStatements().find(({ name }) => name === 'deployments.ended_runs')
  const values = { org, deploymentId: out.id, windowSeconds: 3_600, until: null, limit: 2_000, maxRuns: 20_000 }
  const rows = await world.sql<{ 'QUERY PLAN': string }>(
    `explain (analyze, timing off, costs off) ${shape?.text}`,
    shape?.parameters.map((each) => values[each as keyof typeof values]),
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('Limit (actual rows=2000')
  expect(plan).not.toMatch(/Seq Scan on \S+ \S+ \(actual|Hash|Sort/)
})
