import { limits, peopleLimits } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scriptedDatabase } from '../../test/scripted-database.ts'
import { peopleBounds } from './bounds.ts'
import { createPasswordService } from './password.service.ts'
import {
  anEmail,
  aVisitor,
  goodPassword,
  openPeopleWorld,
  type PeopleWorld,
  refusal,
  tokenOf,
} from './people.fixture.ts'
import { findProof, insertProof } from './proof.store.ts'

const newId = createIdMaker(systemClock)
let world: PeopleWorld
beforeAll(async () => {
  world = await openPeopleWorld()
})
afterAll(() => world.close())

const invited = async (org: string, email = anEmail()): Promise<string> =>
  (await world.people.invitations.inviteByOperator(org, { email, role: 'viewer' })).link

const plantMembers = (org: string, role: string, count: number) =>
  world.sql(
    `with person as (insert into users (id, email)
        select gen_random_uuid(), 'planted-' || n || '@' || $1::text || '.example' from generate_series(1, $3::integer) n returning id)
     insert into members (id, org_id, user_id, role) select gen_random_uuid(), $1::uuid, id, $2 from person`,
    [org, role, count],
  )

test('the user agent of a session is cut to peopleBounds.userAgent', async () => {
  const { email } = await world.newMember(await world.newOrg(), 'viewer')
  const { session } = await world.logIn(email, { visitor: aVisitor({ userAgent: 'x'.repeat(10_000) }) })
  const [row] = await world.sql<{ chars: number }>('select length(user_agent) as chars from sessions where id = $1', [
    toUuid(session.id),
  ])
  expect(row?.chars).toBe(peopleBounds.userAgent.chars)
})

test('nobody joins an organisation that has limits.membersPerOrganisation', async () => {
  const org = await world.newOrg()
  await plantMembers(org, 'viewer', limits.membersPerOrganisation - 1)
  await world.newMember(org, 'viewer')
  const body = { token: tokenOf(await invited(org)), name: 'Late', password: goodPassword }
  expect(await refusal(world.people.invitations.accept(aVisitor(), body))).toMatchObject({
    code: 'limit_reached',
    message: `An organisation has at most ${limits.membersPerOrganisation} members`,
  })
})

test('nobody belongs to more organisations than peopleLimits.organisationsPerUser', async () => {
  const { email, user } = await world.newMember(await world.newOrg(), 'viewer')
  await world.sql(
    `with org as (insert into organisations (id, name) select gen_random_uuid(), 'Planted' from generate_series(1, $2::integer) returning id)
     insert into members (id, org_id, user_id, role) select gen_random_uuid(), id, $1, 'viewer' from org`,
    [user, peopleLimits.organisationsPerUser - 2],
  )
  await world.join(email, await invited(await world.newOrg(), email))
  const one = await invited(await world.newOrg(), email)
  expect(await refusal(world.join(email, one))).toMatchObject({
    code: 'limit_reached',
    message: `A person belongs to at most ${peopleLimits.organisationsPerUser} organisations`,
  })
})

test('the operator sees as many owners of an organisation as peopleBounds.ownersTold says', async () => {
  const org = await world.newOrg()
  await plantMembers(org, 'owner', peopleBounds.ownersTold.count + 3)
  const rows = await world.people.listOrganisations(null)
  expect(rows.find(({ id }) => id === org)).toMatchObject({
    members: peopleBounds.ownersTold.count + 3,
    owners: { length: peopleBounds.ownersTold.count },
  })
})

/** No note of a failure ends before the test says so. */
const noting = () => {
  const end = Promise.withResolvers<void>()
  const warnings: string[] = []
  const asked: number[] = []
  const { db } = scriptedDatabase({
    'people.list_by_email': ({ values }) => {
      asked.push(...values.filter((value) => typeof value === 'number'))
      return []
    },
  })
  const auth = {
    ...db,
    once: async (org: null, statement: never) => {
      const rows = await db.once(org, statement)
      await end.promise
      return rows
    },
  }
  const service = createPasswordService({
    ...{ auth: auth as never, passwords: {} as never, clock: fakeClock(), newId },
    log: { ...createLog({ level: 'silent' }), warn: (line: string) => void warnings.push(line) } as never,
  })
  return { service, asked, warnings, end: () => end.resolve() }
}

test('as many refused logins are noted at once as peopleBounds.refusalNotes says, with the organisations of peopleBounds.accountsTold', async () => {
  const { service, asked, warnings, end } = noting()
  const { count } = peopleBounds.refusalNotes
  for (let n = 0; n <= count; n++) service.noteFailure(aVisitor(), anEmail())
  expect([asked.length, warnings]).toEqual([count, ['refused logins are not all audited']])
  expect(new Set(asked)).toEqual(new Set([peopleBounds.accountsTold.count]))
  end()
  await service.close()
  service.noteFailure(aVisitor(), anEmail())
  expect(asked).toHaveLength(count + 1)
})

test('failed logins of more accounts than peopleBounds.accountsSampled are not noted in this minute', async () => {
  const { service, asked, end } = noting()
  end()
  const { count } = peopleBounds.accountsSampled
  for (let n = 0; n <= count; n++) {
    service.noteFailure(aVisitor(), `sampled-${n}@example.com`)
    await service.close()
  }
  expect(asked).toHaveLength(count)
})

test('a link that proves an address is valid for limits.emailProofHours', async () => {
  const { user, email } = await world.newMember(await world.newOrg(), 'viewer')
  const auth = openDatabase({
    ...{ url: world.database.authUrl, name: 'proofs', size: 1, acquireTimeoutMs: 30_000 },
    log: createLog({ level: 'silent' }),
  })
  const hash = Buffer.alloc(32, 1)
  await auth.transaction(null, (tx) => insertProof(tx, { id: toUuid(newId('eml')), user, email, hash }))
  const isValidAfter = async (seconds: number) => {
    await world.sql(
      'update email_proofs set expires_at = created_at + (expires_at - created_at) - make_interval(secs => $1)',
      [seconds],
    )
    const found = await findProof(auth, hash)
    await world.sql('update email_proofs set expires_at = expires_at + make_interval(secs => $1)', [seconds])
    return found !== null
  }
  const whole = limits.emailProofHours * 3_600
  expect([await isValidAfter(whole - 60), await isValidAfter(whole)]).toEqual([true, false])
  await auth.close()
})
