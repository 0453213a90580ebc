import { scopes } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { type Credential, makeKey } from '../access-matrix/credentials.ts'
import { type Organisation, plantPerson, plantSession } from '../access-matrix/people.ts'
import { type App, until } from '../app.ts'

/** A credential that works, and how it ends. */
export type Ending = { credential: Credential; end(): Promise<void> }

/**
 * `ended`: refused with 401. `lessened`: it works on, without the permission that an open request needs. `isPublished`:
 * gateways with Redis notice it at once; otherwise each notices it when it reads the credential again.
 */
export type Way = {
  effect: 'ended' | 'lessened'
  isPublished: boolean
  begin(app: App, mine: Organisation): Promise<Ending>
}

/** Every way in which a credential ends or loses permissions. Time passes by moving the dates of one row. */
export const ways: Readonly<Record<string, Way>> = {
  'key revoked': {
    effect: 'ended',
    isPublished: true,
    begin: async (app, mine) => {
      const { id, key } = await makeKey(app, mine, { scopes })
      return { credential: { key }, end: () => done(() => app.call('DELETE', `/v2/api-keys/${id}`, { key: mine.key })) }
    },
  },
  'key expired': {
    effect: 'ended',
    isPublished: false,
    begin: async (app, mine) => {
      const { id, key } = await makeKey(app, mine, { scopes })
      return {
        credential: { key },
        end: () => moved(app, 'update api_keys set expires_at = app_now() where id = $1', id),
      }
    },
  },
  'key rotated, grace over': {
    effect: 'ended',
    isPublished: false,
    begin: async (app, mine) => {
      const { id, key } = await makeKey(app, mine, { scopes })
      await done(() => app.call('POST', `/v2/api-keys/${id}/rotate`, { key: mine.key, body: {} }))
      return {
        credential: { key },
        end: () => moved(app, 'update api_keys set grace_until = app_now() where id = $1', id),
      }
    },
  },
  'token expired': {
    effect: 'ended',
    isPublished: false,
    begin: async (app, mine) => {
      const { id, key } = await makeKey(app, mine, { scopes })
      return {
        credential: { key: await tokenOf(app, { key }) },
        end: () => moved(app, 'update session_tokens set expires_at = app_now() where key_id = $1', id),
      }
    },
  },
  'token, parent key revoked': {
    effect: 'ended',
    isPublished: true,
    begin: async (app, mine) => {
      const { id, key } = await makeKey(app, mine, { scopes })
      return {
        credential: { key: await tokenOf(app, { key }) },
        end: () => done(() => app.call('DELETE', `/v2/api-keys/${id}`, { key: mine.key })),
      }
    },
  },
  'token, parent session logged out': {
    effect: 'ended',
    isPublished: true,
    begin: async (app, mine) => {
      const { cookie } = await member(app, mine)
      return { credential: { key: await tokenOf(app, cookie) }, end: () => logOut(app, cookie) }
    },
  },
  'session logged out': {
    effect: 'ended',
    isPublished: true,
    begin: async (app, mine) => {
      const { cookie } = await member(app, mine)
      return { credential: cookie, end: () => logOut(app, cookie) }
    },
  },
  'session at its maximum age': {
    effect: 'ended',
    isPublished: false,
    begin: async (app, mine) => {
      const { cookie, sessionId } = await member(app, mine)
      return {
        credential: cookie,
        end: () => moved(app, 'update sessions set expires_at = app_now() where id = $1', sessionId),
      }
    },
  },
  'session idle': {
    effect: 'ended',
    isPublished: false,
    begin: async (app, mine) => {
      const { cookie, sessionId } = await member(app, mine)
      const idle = `update sessions set seen_at = seen_at - interval '1 day' where id = $1`
      return { credential: cookie, end: () => moved(app, idle, sessionId) }
    },
  },
  'password changed': {
    effect: 'ended',
    isPublished: true,
    begin: async (app, mine) => {
      const { cookie, memberId } = await member(app, mine)
      return { credential: cookie, end: () => resetPassword(app, mine, memberId) }
    },
  },
  'member removed': {
    effect: 'ended',
    isPublished: true,
    begin: async (app, mine) => {
      const { cookie, memberId } = await member(app, mine)
      return {
        credential: cookie,
        end: () => done(() => app.call('DELETE', `/v2/members/${memberId}`, { key: mine.key })),
      }
    },
  },
  'member lowered': {
    effect: 'lessened',
    isPublished: true,
    begin: async (app, mine) => {
      const { cookie, memberId } = await member(app, mine)
      const change = { key: mine.key, body: { role: 'viewer' } }
      return { credential: cookie, end: () => done(() => app.call('PATCH', `/v2/members/${memberId}`, change)) }
    },
  },
  'key narrowed to another agent': {
    effect: 'lessened',
    isPublished: true,
    begin: async (app, mine) => {
      const { id, key } = await makeKey(app, mine, { scopes })
      const change = { key: mine.key, body: { agent_ids: [mine.agents['test-echo']] } }
      return { credential: { key }, end: () => done(() => app.call('PATCH', `/v2/api-keys/${id}`, change)) }
    },
  },
  'key lost its scopes': {
    effect: 'lessened',
    isPublished: true,
    begin: async (app, mine) => {
      const { id, key } = await makeKey(app, mine, { scopes })
      const change = { key: mine.key, body: { scopes: ['usage:read'] } }
      return { credential: { key }, end: () => done(() => app.call('PATCH', `/v2/api-keys/${id}`, change)) }
    },
  },
}

const member = async (app: App, mine: Organisation) => {
  const { userId, memberId } = await plantPerson(app, mine, 'developer')
  const { id, cookie } = await plantSession(app, mine, { userId })
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  return { memberId, sessionId: id, cookie: { key: null, headers } satisfies Credential }
}

const tokenOf = async (app: App, credential: Credential): Promise<string> => {
  const body = { scopes: ['runs:read', 'runs:write', 'events:read', 'pipelines:read'] }
  const { status, body: made, text } = await app.call('POST', '/v2/session-tokens', { ...credential, body })
  if (status !== 201) throw new Error(`No token was made: ${status} ${text}`)
  return made.token
}

const logOut = (app: App, credential: Credential): Promise<void> =>
  done(() => app.call('POST', '/v2/api/auth/logout', { ...credential, body: {} }))

const resetPassword = async (app: App, mine: Organisation, memberId: string): Promise<void> => {
  const owner = await plantPerson(app, mine, 'owner')
  const { cookie } = await plantSession(app, mine, owner)
  const own = { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } }
  const made = await app.call('POST', '/v2/members/password-resets', { ...own, body: { member_id: memberId } })
  const body = { token: made.body.link.split('#token=')[1], password: 'quite another Password, 9' }
  const headers = { 'sec-fetch-site': 'same-origin' }
  await done(() => app.call('POST', '/v2/api/auth/password-reset', { key: null, body, headers }))
}

const moved = async (app: App, sql: string, id: string): Promise<void> => {
  await app.query(sql, [toUuid(id)])
}

/** A busy machine may answer 503, which is not under test here. */
const done = async (call: () => ReturnType<App['call']>): Promise<void> => {
  const { status, text } = await until('an answer other than 503', async () => {
    const answer = await call()
    return answer.status !== 503 && answer
  })
  if (status >= 300) throw new Error(`The credential could not be ended: ${status} ${text}`)
}
