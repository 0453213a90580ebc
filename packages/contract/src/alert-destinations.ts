import { z } from 'zod'
import { createdAt } from './fields.ts'
import { AlertDestinationId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

const DestinationType = z
  .enum(['slack'])
  .meta({ id: 'AlertDestinationType', description: '`slack`: an incoming webhook that takes Slack’s format.' })

export const AlertDestination = z
  .object({
    id: AlertDestinationId,
    object: z.literal('alert_destination'),
    type: DestinationType,
    url_hint: z.string().meta({ description: 'The host and the last four characters of the URL. The rest is secret.' }),
    created_at: createdAt,
  })
  .meta({ id: 'AlertDestination', description: 'A chat channel that receives alerts.' })

export type AlertDestination = z.infer<typeof AlertDestination>

export const alertDestinations = {
  list: operation({
    method: 'GET',
    path: '/alert-destinations',
    summary: 'List alert destinations',
    scope: 'alerts:read',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ ...Paging(AlertDestinationId) }),
    output: listOf(AlertDestination, 'AlertDestinationList'),
    errors: [],
  }),
  create: operation({
    method: 'POST',
    path: '/alert-destinations',
    summary: 'Send alerts to a chat channel',
    description: `Every alert that fires or resolves is posted there. At most ${limits.alertDestinationsPerOrganisation} per organisation.`,
    scope: 'alerts:write',
    names: 'organisation',
    status: 201,
    idempotent: true,
    input: z
      .strictObject({
        type: DestinationType,
        url: z
          .string()
          .max(limits.webhookUrlChars)
          .meta({ writeOnly: true, description: 'The URL is a secret: who has it can post to the channel.' }),
      })
      .meta({ id: 'CreateAlertDestination' }),
    output: AlertDestination,
    errors: ['idempotency_key_reused', 'limit_reached', 'secrets_disabled', 'url_not_allowed'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/alert-destinations/{id}',
    summary: 'Delete an alert destination',
    scope: 'alerts:write',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ id: AlertDestinationId }),
    output: AlertDestination,
    errors: ['not_found'],
  }),
} as const
