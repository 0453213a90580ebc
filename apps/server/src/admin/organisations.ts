import { limits } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { type Command, emailOf, numberOf, optional, organisationOf, planOf, required, tell } from './command.ts'
import { withServices } from './with-services.ts'

/** `admin create-org`: creates an organisation and the invitation link of its first owner. */
export const createOrg: Command = {
  usage: '--name N --owner-email E [--plan P] [--json]',
  does: 'create an organisation and the invitation link of its owner',
  options: {
    name: { type: 'string' },
    'owner-email': { type: 'string' },
    plan: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: (env, values) => {
    const [name, email] = [required(values, 'name'), emailOf(values, 'owner-email')]
    const plan = planOf(optional(values, 'plan') ?? 'free')
    return withServices(env, async ({ access, people }) => {
      const { org } = await access.createOrganisation(name, { plan })
      const { invitation, link } = await people.invitations.inviteByOperator(org, { email, role: 'owner' })
      const organisation = fromUuid('org', org)
      return tell(
        values,
        {
          organisation,
          name,
          plan,
          owner_email: invitation.email,
          invitation_link: link,
          expires_at: invitation.expires_at.toISOString(),
        },
        [
          `Organisation  ${organisation}  ${name}, plan ${plan}`,
          `Link          ${link}`,
          `Send this link to ${invitation.email}. It works once, within ${limits.invitationDays} days, and is not shown again.`,
        ],
      )
    })
  },
}

/** `admin set-plan`: sets the limits of a plan, or individual limits. */
export const setPlan: Command = {
  usage:
    '--org ID --plan P [--requests-per-minute N] [--burst N] [--calls-per-month N] [--concurrent-runs N] [--run-timeout-seconds N] [--json]',
  does: 'set the plan or the limits of an organisation',
  options: {
    org: { type: 'string' },
    plan: { type: 'string' },
    'requests-per-minute': { type: 'string' },
    burst: { type: 'string' },
    'calls-per-month': { type: 'string' },
    'concurrent-runs': { type: 'string' },
    'run-timeout-seconds': { type: 'string' },
    json: { type: 'boolean' },
  },
  run: (env, values) => {
    const [org, plan] = [organisationOf(values), planOf(required(values, 'plan'))]
    const overrides = Object.fromEntries(
      [
        ['requestsPerMinute', numberOf(values, 'requests-per-minute')] as const,
        ['burst', numberOf(values, 'burst')] as const,
        ['callsPerMonth', numberOf(values, 'calls-per-month')] as const,
        ['concurrentRuns', numberOf(values, 'concurrent-runs')] as const,
        ['runTimeoutMaxSeconds', numberOf(values, 'run-timeout-seconds')] as const,
      ].filter(([, number]) => number !== undefined),
    )
    return withServices(env, async ({ access }) => {
      const { limits: now } = await access.setPlan(org, plan, overrides)
      const organisation = fromUuid('org', org)
      return tell(
        values,
        {
          organisation,
          plan,
          requests_per_minute: now.requestsPerMinute,
          burst: now.burst,
          calls_per_month: now.callsPerMonth,
          concurrent_runs: now.concurrentRuns,
          run_timeout_max_seconds: now.runTimeoutMaxSeconds,
        },
        [
          `Organisation  ${organisation}  plan ${plan}`,
          `Requests      ${now.requestsPerMinute} per minute, burst ${now.burst}`,
          `Calls         ${now.callsPerMonth} per month`,
          `Runs          ${now.concurrentRuns} concurrently, timeout at most ${now.runTimeoutMaxSeconds} s`,
        ],
      )
    })
  },
}

/** `admin set-key-policy`: limits the life of an organisation's new keys. */
export const setKeyPolicy: Command = {
  usage: '--org ID --max-days N|none [--json]',
  does: 'limit the life of the API keys of an organisation',
  options: { org: { type: 'string' }, 'max-days': { type: 'string' }, json: { type: 'boolean' } },
  run: (env, values) => {
    const org = organisationOf(values)
    const days = required(values, 'max-days') === 'none' ? null : (numberOf(values, 'max-days') ?? null)
    return withServices(env, async ({ access }) => {
      await access.setKeyLifetime(org, days)
      const organisation = fromUuid('org', org)
      return tell(values, { organisation, max_key_lifetime_days: days }, [
        `Organisation  ${organisation}`,
        days === null
          ? 'Keys          may live without an end'
          : `Keys          live for at most ${days} days from now on`,
      ])
    })
  },
}

/** `admin list-orgs`: lists organisations, oldest first. */
export const listOrgs: Command = {
  usage: '[--json]',
  does: 'list all organisations',
  options: { json: { type: 'boolean' } },
  run: (env, values) =>
    withServices(env, async ({ people }) => {
      let after: string | null = null
      for (;;) {
        const rows = await people.listOrganisations(after)
        for (const { id, name, plan, members, owners, created_at } of rows) {
          const organisation = fromUuid('org', id)
          tell(values, { organisation, name, plan, members, owners, created_at }, [
            `${organisation}  ${plan.padEnd(10)}  ${String(members).padStart(4)} members  ${name}  ${owners.join(' ')}`,
          ])
        }
        after = rows.at(-1)?.id ?? null
        if (after === null) return 0
      }
    }),
}
