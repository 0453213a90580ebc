import { z } from 'zod'
import { Organisation, peopleLimits } from './auth.ts'
import { budgetFields, budgetInput } from './budget.ts'
import { createdAt } from './fields.ts'
import { operation } from './operation.ts'

const OrganisationLimits = z
  .object({
    requests_per_minute: z.int().meta({ description: 'Requests per minute of one API key or person.' }),
    burst: z.int().meta({ description: 'The most requests of one API key or person at once.' }),
    calls_per_month: z
      .int()
      .meta({ description: 'Runs per calendar month, UTC. 1,000,000,000,000 and more: no limit.' }),
    concurrent_runs: z.int().meta({ description: 'Runs that execute at the same time; others wait.' }),
    run_timeout_max_seconds: z.int().meta({ description: 'The longest timeout of a run, in seconds.' }),
    storage_bytes: z.int().meta({ description: 'The most bytes of runs that are stored.' }),
    run_retention_days: z.int().meta({ description: 'Days that ended runs and their events are kept.' }),
  })
  .meta({ id: 'OrganisationLimits', description: 'The limits of the plan, or others that the operator has set.' })

export const OrganisationDetails = z
  .object({
    object: z.literal('organisation'),
    ...Organisation.shape,
    limits: OrganisationLimits,
    ...budgetFields,
    created_at: createdAt,
  })
  .meta({ id: 'OrganisationDetails', description: 'The organisation that the credential acts for, with its limits.' })

export type OrganisationDetails = z.infer<typeof OrganisationDetails>

export const organisation = {
  get: operation({
    method: 'GET',
    path: '/organisation',
    summary: 'Show the organisation',
    description: 'Returns the organisation of the credential, with its plan and its limits.',
    scope: 'signed_in',
    names: 'nothing',
    status: 200,
    input: z.strictObject({}),
    output: OrganisationDetails,
    errors: [],
  }),
  update: operation({
    method: 'PATCH',
    path: '/organisation',
    summary: 'Change the organisation',
    description:
      'For owners and admins: its name and its budget. Plan and limits are set by the operator of the service.',
    scope: 'members:write',
    names: 'organisation',
    lasting: true,
    status: 200,
    input: z
      .strictObject({
        name: z
          .string()
          .max(peopleLimits.nameChars)
          .trim()
          .min(1)
          .meta({ description: 'The name of the organisation.' }),
        ...budgetInput,
      })
      .partial()
      .meta({ id: 'UpdateOrganisation' }),
    output: OrganisationDetails,
    errors: [],
  }),
} as const
