import { openDatabase } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { deleteOldRows } from '../../test/delete-old-rows.ts'
import { openPeopleWorld } from './people.fixture.ts'

test('expired records are deleted after a month, and live ones stay', async () => {
  const world = await openPeopleWorld()
  const system = openDatabase({
    url: world.database.systemUrl,
    name: 'test',
    size: 1,
    log: createLog({ level: 'silent' }),
    acquireTimeoutMs: 30_000,
  })
  const count = async () => {
    const tables = ['sessions', 'invitations', 'password_resets', 'login_attempts', 'login_devices', 'members']
    const [row] = await world.sql<Record<string, number>>(
      `select ${tables.map((table) => `(select count(*)::integer from ${table}) as ${table}`).join(', ')}`,
    )
    return row
  }
  try {
    const { owner, viewer } = await world.newTeam()
    await world.people.resets.makeLink(owner.ctx, viewer.memberId)
    const full = { sessions: 4, invitations: 4, password_resets: 1, members: 4 }
    await world.logIn(owner.email)
    await deleteOldRows(system)
    expect(await count()).toMatchObject({ ...full, sessions: 5, login_attempts: 2, login_devices: 5 })
    await moveDatabaseClock(world.database.ownerUrl, 200 * 86_400_000)
    await world.logIn(owner.email)
    await world.people.invitations.invite(owner.ctx, { email: 'late@example.com', role: 'viewer' })
    await deleteOldRows(system)
    expect(await count()).toEqual({
      sessions: 1,
      invitations: 1,
      password_resets: 0,
      members: 4,
      login_attempts: 2,
      login_devices: 1,
    })
  } finally {
    await system.close()
    await world.close()
  }
})
