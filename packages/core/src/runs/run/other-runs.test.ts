import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdmissionWorld, createAdmissionWorld } from '../../../test/admission-world.ts'
import { readHistory } from './history.store.ts'
import { findRunPolicies } from './redaction.store.ts'
import { findRunAccess } from './run.store.ts'

let world: AdmissionWorld
let org: string
let runs: readonly [string, string]

beforeAll(async () => {
  world = await createAdmissionWorld()
  const tenant = await world.addTenant(10)
  const [one, other] = await world.accept(tenant, 2, 10)
  org = tenant.org
  runs = [one?.id ?? '', other?.id ?? '']
})
afterAll(() => world.close())

test('the memory of a run has no tool call, message, step or decision of another run of its organisation', async () => {
  for (const run of runs) {
    await world.query(
      `insert into run_steps (run_id, step, org_id, epoch, attempt, kind, output, input_tokens, output_tokens, messages_read, started_at, bytes)
       values ($1, 1, $2, 1, 1, 'model', json_build_object('of', $3::text), 0, 0, 0, app_now(), 10)`,
      [run, org, run],
    )
    await world.query(
      `insert into run_tool_calls (run_id, step, ordinal, org_id, name, arguments, repeatable) values ($1, 2, 0, $2, $3, '{}', true)`,
      [run, org, run],
    )
    await world.query(
      `insert into run_messages (run_id, number, org_id, message, sent_by, sent_by_type) values ($1, 1, $2, to_json($3::text), $2, 'key')`,
      [run, org, run],
    )
  }
  for (const run of runs) {
    const { steps, calls, messages } = await readHistory(world.app, org, run)
    expect(steps.map(({ content }) => content)).toEqual([{ of: run }])
    expect(calls.map(({ name }) => name)).toEqual([run])
    expect(messages.map(({ text }) => text)).toEqual([run])
  }
})

test('the policies and the agent of a run are not those of another one', async () => {
  const sets = ['01890a5d-ac96-774b-bcce-b302099a8001', '01890a5d-ac96-774b-bcce-b302099a8002']
  for (const [n, run] of runs.entries())
    await world.query('update runs set policy_key_id = $2, owner_id = $2 where id = $1', [run, sets[n]])
  for (const [n, run] of runs.entries()) {
    expect(await findRunPolicies(world.app, org, run)).toMatchObject({ policy_key_id: sets[n] })
    expect(await findRunAccess(world.app, org, run)).toMatchObject({ owner_id: sets[n] })
  }
  expect(await findRunPolicies(world.app, org, '01890a5d-ac96-774b-bcce-b302099a8003')).toBeNull()
})
