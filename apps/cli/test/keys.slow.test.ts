import { afterAll, beforeAll, expect, test } from 'vitest'
import { plantPerson, plantSession } from '../../server/test/access-matrix/people.ts'
import { type App, startApp } from '../../server/test/app.ts'
import { type Home, makeHome } from './ars.slow.ts'

let app: App
let ars: Home

beforeAll(async () => {
  app = await startApp({ role: 'gateway' })
  ars = makeHome({ url: app.url, key: app.tenant.key })
})

afterAll(async () => {
  ars?.remove()
  await app?.stop()
})

const scopes = ['keys:write', 'runs:read']
const makeKey = async (name: string, credential: { key?: string | null; headers?: Record<string, string> } = {}) => {
  const { status, body, text } = await app.call('POST', '/v2/api-keys', { body: { name, scopes }, ...credential })
  expect(status, text).toBe(201)
  return body as { id: string; key: string }
}

test('keys are listed by their creator and revoked with those below them', async () => {
  const root = await makeKey('root')
  const child = await makeKey('child', { key: root.key })
  const listed = await ars.run(['keys', 'list', '--created-by', root.id])
  expect(listed.stdout).toMatch(new RegExp(`${child.id} +ars_live_….{4} +child +never`))
  expect(listed.stdout).not.toContain(child.key)
  const revoked = await ars.run(['keys', 'revoke', root.id, '--descendants'])
  expect(revoked.stdout).toBe(`${root.id} is revoked. Keys below it that were revoked: 1.\n`)
  expect((await app.call('GET', '/v2/runs', { key: child.key })).status).toBe(401)
})

test('a member with active keys is removed after a decision about the keys', async () => {
  const { userId, memberId } = await plantPerson(app, { ...app.tenant, marker: 'leaver' }, 'admin')
  const { cookie } = await plantSession(app, { ...app.tenant, marker: 'leaver' }, { userId })
  const left = await makeKey('left behind', { key: null, headers: { cookie, origin: app.url } })
  expect((await ars.run(['members', 'list'])).stdout).toMatch(new RegExp(`${memberId} +${userId} +admin`))
  const undecided = await ars.run(['members', 'remove', memberId])
  expect([undecided.code, undecided.stderr]).toEqual([1, expect.stringContaining('keys=revoke')])
  const removed = await ars.run(['members', 'remove', memberId, '--keys', 'revoke'])
  expect(removed.stdout).toMatch(new RegExp(`^id +${memberId}`))
  expect((await app.call('GET', '/v2/runs', { key: left.key })).status).toBe(401)
})
