import { limits } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { type Command, emailOf, numberOf, optional, organisationOf, planOf, required, tell } from './command.ts'
import { withDesk } from './desk.ts'

/** `admin create-org`: an organisation, and the link by which its first owner comes in. */
export const createOrg: Command = {
  usage: '--name N --owner-email E [--plan P] [--json]',
  does: 'an organisation and the link for its owner',
  options: {
    name: { type: 'string' },
    'owner-email': { type: 'string' },
    plan: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: (env, values) => {
    const [name, email] = [required(values, 'name'), emailOf(values, 'owner-email')]
    const plan = planOf(optional(values, 'plan') ?? 'free')
    return withDesk(env, async ({ access, people }) => {
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
          `Give it to ${invitation.email}. It works once, for ${limits.invitationDays} days, and is not shown again.`,
        ],
      )
    })
  },
}

/** `admin set-plan`: the numbers of a plan, or others. */
export const setPlan: Command = {
  usage:
    '--org ID --plan P [--requests-per-minute N] [--burst N] [--calls-per-month N] [--concurrent-runs N] [--run-timeout-seconds N] [--json]',
  does: 'what an organisation may do',
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
    return withDesk(env, async ({ access }) => {
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
          `Requests      ${now.requestsPerMinute} a minute, burst ${now.burst}`,
          `Calls         ${now.callsPerMonth} a month`,
          `Runs          ${now.concurrentRuns} at once, ${now.runTimeoutMaxSeconds} s at the most`,
        ],
      )
    })
  },
}

/** `admin list-orgs`: the oldest first. */
export const listOrgs: Command = {
  usage: '[--json]',
  does: 'all organisations, one a line',
  options: { json: { type: 'boolean' } },
  run: (env, values) =>
    withDesk(env, async ({ people }) => {
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
