import type { App, Reply, Tenant } from './app.ts'

/** A person with a browser, represented by a cookie. */
export type Visitor = { cookie: string; email: string; password: string }

const password = 'nine blue lanterns by the quay'

/** Invites a person into an organisation, who follows the link, sets a password and is logged in. */
export const inviteVisitor = async (app: App, tenant: Tenant, role = 'admin'): Promise<Visitor> => {
  const email = `${tenant.org.slice(0, 8)}.${tenant.org.slice(-8)}.${role}@example.com`
  const invited = await app.call('POST', '/v2/members/invitations', { key: tenant.key, body: { email, role } })
  const token = new URL(invited.body.link).hash.replace('#token=', '')
  const accepted = await app.call('POST', '/v2/api/auth/invitation', {
    key: null,
    body: { token, name: 'Ada', password },
  })
  if (accepted.status !== 200) throw new Error(`the invitation was refused: ${accepted.text}`)
  return { cookie: cookieOf(accepted), email, password }
}

/** The cookie header that a browser would send back after this response. */
export const cookieOf = ({ headers }: Reply): string => String(headers['set-cookie']).split(';', 1)[0] ?? ''

/** The headers that a browser sends for a page of the service's own origin. */
export const ownPage = { 'sec-fetch-site': 'same-origin' }
