import { z } from 'zod'
import { ConnectorId } from './ids.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

/** Limits of connectors. The guide on tools lists the limits for their servers’ responses. */
export const connectorLimits = {
  perOrganisation: 100,
  nameChars: 200,
  urlChars: 2048,
  credentialChars: 4096,
  headerChars: 64,
} as const

const ConnectorAuth = z
  .object({
    type: z.enum(['none', 'bearer', 'header']),
    header: z.string().nullable().meta({ description: 'The header that carries the credential, for type `header`.' }),
    hint: z.string().nullable().meta({ description: 'The last characters of the credential.' }),
  })
  .meta({ id: 'ConnectorAuth' })

export const Connector = z
  .object({
    id: ConnectorId,
    object: z.literal('connector'),
    name: z.string(),
    url: z.string(),
    auth: ConnectorAuth,
    status: z.enum(['active', 'deleted']),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Connector' })

export type Connector = z.infer<typeof Connector>

// What an HTTP header can carry whole: printable ASCII, no space at either end.
const Credential = z
  .string()
  .max(connectorLimits.credentialChars)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII without a space at either end')
  .meta({ writeOnly: true, description: 'Stored encrypted and never returned.' })

// The others say where a request goes, how long it is, or belong to the protocol between us and the server.
const headersOfTheProtocol =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|content-.*|accept|accept-encoding|user-agent|idempotency-key|last-event-id|mcp-.*)$/i

const HeaderName = z
  .string()
  .max(connectorLimits.headerChars)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header')
  .refine((name) => !headersOfTheProtocol.test(name), 'is a header that the service sets')

const NewAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('bearer'), token: Credential }),
  z.strictObject({ type: z.literal('header'), header: HeaderName, value: Credential }),
])

export const CreateConnector = z
  .strictObject({
    name: z.string().min(1).max(connectorLimits.nameChars),
    url: z
      .string()
      .min(1)
      .max(connectorLimits.urlChars)
      .meta({ description: 'An MCP server with streamable HTTP: HTTPS on a public host.' }),
    auth: NewAuth.optional().meta({
      description: 'How the service authenticates at the server. Default: no authentication.',
    }),
  })
  .meta({ id: 'CreateConnector' })

export type CreateConnector = z.infer<typeof CreateConnector>

export const connectors = {
  list: operation({
    method: 'GET',
    path: '/connectors',
    summary: 'List connectors',
    scope: 'connectors:read',
    status: 200,
    input: z.strictObject({ ...Paging(ConnectorId) }),
    output: listOf(Connector, 'ConnectorList'),
    errors: [],
  }),
  create: operation({
    method: 'POST',
    path: '/connectors',
    summary: 'Add a connector',
    description:
      'Adds an MCP server whose tools the agents of the organisation can use. The server is not called now; its tools are read ' +
      'when a run needs them.',
    scope: 'connectors:write',
    status: 201,
    input: CreateConnector,
    output: Connector,
    errors: ['not_found', 'idempotency_key_reused', 'limit_reached', 'secrets_disabled', 'url_not_allowed'],
    idempotent: true,
  }),
  get: operation({
    method: 'GET',
    path: '/connectors/{id}',
    summary: 'Get a connector by id',
    scope: 'connectors:read',
    status: 200,
    input: z.strictObject({ id: ConnectorId }),
    output: Connector,
    errors: ['not_found'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/connectors/{id}',
    summary: 'Delete a connector',
    description:
      'Deletes the connector and its credential. Active runs that use it fail with `tool_error` at their next step.',
    scope: 'connectors:write',
    status: 200,
    input: z.strictObject({ id: ConnectorId }),
    output: Connector,
    errors: ['not_found'],
  }),
} as const
