import { limits, type Scope, scopes } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { type Command, emailOf, optional, organisationOf, required, tell, UsageError, type Values } from './command.ts'
import { withServices } from './with-services.ts'

/** `admin create-key`: prints the whole key once. */
export const createKey: Command = {
  usage: '--org ID --name N [--demo] [--scopes a,b] [--json]',
  does: 'create an API key (default: all scopes)',
  options: {
    org: { type: 'string' },
    name: { type: 'string' },
    demo: { type: 'boolean' },
    scopes: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: (env, values) => {
    const [org, name, wanted] = [organisationOf(values), required(values, 'name'), scopesOf(values)]
    const kind = values.demo === true ? 'demo' : 'live'
    return withServices(env, async ({ access }) => {
      const { id, key } = await access.createKey(org, { name, kind, ...(wanted && { scopes: wanted }) })
      const organisation = fromUuid('org', org)
      return tell(values, { organisation, id, name, kind, api_key: key }, [
        `Key  ${key}`,
        `Id   ${id}  ${name}, ${kind}, of ${organisation}`,
        'The key is not shown again.',
      ])
    })
  },
}

/** `admin reset-password`: for users whose organisation has no other admin. */
export const resetPassword: Command = {
  usage: '--email E [--org ID] [--json]',
  does: 'create a link for setting a new password',
  options: { email: { type: 'string' }, org: { type: 'string' }, json: { type: 'boolean' } },
  run: (env, values) => {
    const email = emailOf(values, 'email')
    const org = optional(values, 'org') === undefined ? undefined : organisationOf(values)
    return withServices(env, async ({ people }) => {
      const made = await people.resets.makeLinkByOperator(email, org)
      if (made.kind === 'unknown') {
        process.stderr.write(`No user has the e-mail address ${email}${org === undefined ? '' : ' there'}.\n`)
        return 1
      }
      if (made.kind === 'several') {
        const ids = made.organisations.map((id) => fromUuid('org', id)).join(', ')
        process.stderr.write(`Several accounts have the e-mail address ${email}. Name one of ${ids} with --org.\n`)
        return 1
      }
      return tell(values, { email, link: made.link, expires_at: made.expiresAt.toISOString() }, [
        `Link  ${made.link}`,
        `Send this link to ${email}. It works once, within ${limits.passwordResetHours} hours, and is not shown again.`,
      ])
    })
  },
}

const scopesOf = (values: Values): Scope[] | undefined => {
  const words = optional(values, 'scopes')
    ?.split(',')
    .map((word) => word.trim())
  const unknown = words?.find((word) => !scopes.some((scope) => scope === word))
  if (unknown !== undefined)
    throw new UsageError(`--scopes: unknown scope ${unknown}. The scopes are ${scopes.join(', ')}`)
  return words as Scope[] | undefined
}
