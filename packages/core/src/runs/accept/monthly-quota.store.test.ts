import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdmissionWorld, createAdmissionWorld } from '../../../test/admission-world.ts'
import { findCallRoomFor } from './monthly-quota.store.ts'

let world: AdmissionWorld
beforeAll(async () => {
  world = await createAdmissionWorld()
})
afterAll(() => world.close())

test('without a call left, a request is a repetition only while its idempotency key is kept', async () => {
  const { org, agentId } = await world.addTenant(1)
  const subject = '01890a5d-ac96-774b-bcce-b302099a8001'
  await world.query(
    `insert into idempotency_keys (org_id, thing, key, subject_id, fingerprint, expires_at)
     values ($1, 'run', 'once', $2, '\\x01', app_now() + interval '1 hour')`,
    [org, subject],
  )
  const id = '01890a5d-ac96-774b-bcce-b302099a8002'
  const asked = { id, agentId, bucket: 0, idempotency: { key: 'once', fingerprint: Buffer.from([1]) } }
  const replay = async () => (await findCallRoomFor(world.app, org, [asked])).withoutCall(id).replay
  expect(await replay()).toMatchObject({ subject_id: subject })
  await world.query('update idempotency_keys set expires_at = app_now() where org_id = $1', [org])
  expect(await replay()).toBeNull()
})
