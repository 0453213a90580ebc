import { limits, type PlanLimits, unlimitedCallsPerMonth } from '@ars/contract'
import { limitNames, printPlans, readPlansFile, wireNames } from '@ars/core/access'
import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { fromUuid } from '@ars/platform/id'
import {
  type Command,
  emailOf,
  numberOf,
  optional,
  organisationOf,
  planOf,
  required,
  tell,
  UsageError,
  type Values,
} from './command.ts'
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
    const plan = planOf(optional(values, 'plan') ?? 'none')
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
          `Organisation  ${organisation}  ${name}, ${plan === 'none' ? 'no plan' : `plan ${plan}`}`,
          `Link          ${link}`,
          `Send this link to ${invitation.email}. It works once, within ${limits.invitationDays} days, and is not shown again.`,
        ],
      )
    })
  },
}

/** As options of commands. */
const optionNames = {
  requestsPerMinute: 'requests-per-minute',
  burst: 'burst',
  callsPerMonth: 'calls-per-month',
  concurrentRuns: 'concurrent-runs',
  runTimeoutMaxSeconds: 'run-timeout-seconds',
} as const satisfies Record<keyof PlanLimits, string>

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
    const overrides = Object.fromEntries(limitNames.map((name) => [name, numberOf(values, optionNames[name])]))
    return withServices(env, async ({ access }) => tellTerms(values, org, await access.setPlan(org, plan, overrides)))
  },
}

/** `admin set-limits`: sets single limits of one organisation. */
export const setLimits: Command = {
  usage:
    '--org ID [--requests-per-minute N|plan] [--burst N|plan] [--calls-per-month N|plan] [--concurrent-runs N|plan] [--run-timeout-seconds N|plan] [--json]',
  does: 'set single limits of an organisation; `plan`: the number of its plan holds again',
  options: {
    org: { type: 'string' },
    ...Object.fromEntries(Object.values(optionNames).map((name) => [name, { type: 'string' } as const])),
    json: { type: 'boolean' },
  },
  run: (env, values) => {
    const org = organisationOf(values)
    const changes = Object.fromEntries(limitNames.map((name) => [name, changeOf(values, optionNames[name])]))
    if (Object.values(changes).every((change) => change === undefined))
      throw new UsageError(
        `Name a limit: ${Object.values(optionNames)
          .map((name) => `--${name}`)
          .join(', ')}`,
      )
    return withServices(env, async ({ access }) => tellTerms(values, org, await access.setLimits(org, changes)))
  },
}

const changeOf = (values: Values, name: string): number | null | undefined =>
  optional(values, name) === 'plan' ? null : numberOf(values, name)

const tellTerms = (
  values: Values,
  org: string,
  { plan, limits: now, own }: { plan: string; limits: PlanLimits; own: Partial<PlanLimits> },
): number => {
  const organisation = fromUuid('org', org)
  const set = limitNames.filter((name) => own[name] !== undefined).map((name) => wireNames[name])
  return tell(
    values,
    {
      organisation,
      plan,
      ...Object.fromEntries(limitNames.map((name) => [wireNames[name], now[name]])),
      own_limits: set,
    },
    [
      `Organisation  ${organisation}  ${plan === 'none' ? 'no plan' : `plan ${plan}`}`,
      `Requests      ${now.requestsPerMinute} per minute, burst ${now.burst}`,
      `Calls         ${now.callsPerMonth >= unlimitedCallsPerMonth ? 'no limit' : `${now.callsPerMonth} per month`}`,
      `Runs          ${now.concurrentRuns} concurrently, timeout at most ${now.runTimeoutMaxSeconds} s`,
      ...(set.length === 0 ? [] : [`Set here      ${set.join(', ')}; the others follow the plan`]),
    ],
  )
}

/** `admin plans`: prints the plans as a file, and gives their numbers to the organisations. */
export const showPlans: Command = {
  usage: '[--apply] [--json]',
  does: 'print the plans as a file for ARS_PLANS_FILE; --apply gives its numbers to the organisations',
  options: { apply: { type: 'boolean' }, json: { type: 'boolean' } },
  run: async (env, values) => {
    const { plansFile } = parseConfig(Config, env)
    const plans = readPlansFile(plansFile)
    if (values.apply !== true)
      return tell(
        values,
        Object.fromEntries(
          Object.entries(plans).map(([plan, each]) => [
            plan,
            Object.fromEntries(limitNames.map((name) => [wireNames[name], each[name]])),
          ]),
        ),
        [printPlans(plans).trimEnd()],
      )
    return withServices(env, async ({ access }) => {
      const applied = await access.applyPlans()
      return tell(values, applied, [
        `${applied.changed} of ${applied.organisations} organisations have new limits, which hold within 5 seconds.`,
      ])
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
