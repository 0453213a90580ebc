import { limits, type Scope, scopes } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { type Command, emailOf, optional, organisationOf, required, tell, UsageError, type Values } from './command.ts'
import { withDesk } from './desk.ts'

/** `admin create-key`: the whole key is printed once. */
export const createKey: Command = {
  usage: '--org ID --name N [--demo] [--scopes a,b] [--json]',
  does: 'an API key; all scopes unless told',
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
    return withDesk(env, async ({ access }) => {
      const { id, key } = await access.createKey(org, { name, kind, ...(wanted && { scopes: wanted }) })
      const organisation = fromUuid('org', org)
      return tell(values, { organisation, id, name, kind, api_key: key }, [
        `Key  ${key}`,
        `Id   ${id}  ${name}, ${kind}, of ${organisation}`,
        'It is not shown again.',
      ])
    })
  },
}

/** `admin reset-password`: for whoever cannot be helped by an admin of their own. */
export const resetPassword: Command = {
  usage: '--email E [--json]',
  does: 'a link by which a person sets a new password',
  options: { email: { type: 'string' }, json: { type: 'boolean' } },
  run: (env, values) => {
    const email = emailOf(values, 'email')
    return withDesk(env, async ({ people }) => {
      const made = await people.resets.makeLinkByOperator(email)
      if (!made) {
        process.stderr.write(`There is no person with the address ${email}.\n`)
        return 1
      }
      return tell(values, { email, link: made.link, expires_at: made.expiresAt.toISOString() }, [
        `Link  ${made.link}`,
        `Give it to ${email}. It works once, for ${limits.passwordResetHours} hours, and is not shown again.`,
      ])
    })
  },
}

const scopesOf = (values: Values): Scope[] | undefined => {
  const words = optional(values, 'scopes')
    ?.split(',')
    .map((word) => word.trim())
  const unknown = words?.find((word) => !scopes.some((scope) => scope === word))
  if (unknown !== undefined) throw new UsageError(`--scopes: there is no scope ${unknown}, only ${scopes.join(', ')}`)
  return words as Scope[] | undefined
}
