import { z } from 'zod'
import { connectorLimitRows, numbersOf } from './bounds.ts'
import { createdAt, JsonObject, KeyOrPerson } from './fields.ts'
import { ConnectorId } from './ids.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

/** Limits of connectors. The guide on tools lists the limits for their servers’ responses. */
export const connectorLimits = numbersOf(connectorLimitRows)

const ConnectorAuth = z
  .object({
    type: z
      .enum(['none', 'bearer', 'header'])
      .meta({ id: 'ConnectorAuthType', description: 'How the credential is sent.' }),
    header: z.string().nullable().meta({ description: 'The header that carries the credential, for type `header`.' }),
    hint: z.string().nullable().meta({ description: 'The last characters of the credential.' }),
  })
  .meta({ id: 'ConnectorAuth', description: 'How the service authenticates at the server.' })

const ToolCounts = z
  .object({
    approved: z.int().meta({ description: 'Tools that agents can use.' }),
    pending: z.int().meta({ description: 'Tools that were never approved.' }),
    changed: z.int().meta({ description: 'Tools that differ from what was approved.' }),
    gone: z.int().meta({ description: 'Tools that the server no longer lists.' }),
  })
  .meta({ id: 'ToolCounts', description: 'The number of tools by state. Agents get approved tools only.' })

export const Connector = z
  .object({
    id: ConnectorId,
    object: z.literal('connector'),
    name: z.string().meta({ description: 'The name of the connector.' }),
    url: z.string().meta({ description: 'The address of the MCP server.' }),
    auth: ConnectorAuth,
    status: z.enum(['active', 'deleted']).meta({ id: 'ConnectorStatus', description: 'Whether it can be used.' }),
    tools: ToolCounts,
    tools_listed_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the server last listed its tools; null if it never did.' }),
    tools_error: z.string().nullable().meta({
      description: 'Why the tools could not be listed when the connector was added or its address was changed.',
    }),
    created_by: KeyOrPerson.meta({ description: 'The key or person that added it.' }),
    created_at: createdAt,
    moved_by: KeyOrPerson.nullable().meta({
      description:
        'The key or person that changed the address last. A key that did so, and the keys below it, cannot approve its tools. Null: ' +
        'the address is the first one.',
    }),
  })
  .meta({ id: 'Connector', description: 'An MCP server whose tools agents can use.' })

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

const authType = <const Type extends string>(type: Type) =>
  z.literal(type).meta({ description: 'How the credential is sent.' })

const NewAuth = z
  .discriminatedUnion('type', [
    z.strictObject({ type: authType('none') }).meta({ id: 'NoAuth' }),
    z.strictObject({ type: authType('bearer'), token: Credential }).meta({ id: 'BearerAuth' }),
    z
      .strictObject({
        type: authType('header'),
        header: HeaderName.meta({ description: 'The name of the header.' }),
        value: Credential,
      })
      .meta({ id: 'HeaderAuth' }),
  ])
  .meta({ id: 'ConnectorAuthInput' })

export const CreateConnector = z
  .strictObject({
    name: z.string().min(1).max(connectorLimits.nameChars).meta({ description: 'The name of the connector.' }),
    url: z
      .string()
      .min(1)
      .max(connectorLimits.urlChars)
      .meta({ description: 'An MCP server with streamable HTTP: HTTPS on a public host.' }),
    auth: NewAuth.optional().meta({
      description: 'How the service authenticates at the server. Default: no authentication.',
    }),
    approve_tools: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether you approve the tools that the server lists now. Default: true. Tools whose names are easily confused with ' +
          'one another are never approved in this way.',
      }),
  })
  .meta({ id: 'CreateConnector' })

export type CreateConnector = z.infer<typeof CreateConnector>

export const UpdateConnector = z
  .strictObject({
    id: ConnectorId,
    name: CreateConnector.shape.name.optional(),
    url: CreateConnector.shape.url
      .optional()
      .meta({ description: 'Another address is another server: all tools wait for approval again.' }),
    auth: NewAuth.optional().meta({
      description: 'Replaces the credential. Required with a new `url` if the connector has a credential.',
    }),
  })
  .meta({ id: 'UpdateConnector', minProperties: 1 })

export type UpdateConnector = z.infer<typeof UpdateConnector>

const ToolHints = z
  .object({
    read_only: z.boolean().meta({ description: 'It changes nothing.' }),
    destructive: z.boolean().meta({ description: 'It can delete or overwrite.' }),
    idempotent: z.boolean().meta({ description: 'A repeated call has no further effect.' }),
    open_world: z.boolean().meta({ description: 'It reaches systems outside the server.' }),
  })
  .meta({
    id: 'ToolHints',
    description: 'The annotations of the server, with the defaults of MCP where it sends none.',
  })

const ToolManifest = z
  .object({
    name: z.string().meta({ description: 'The name of the tool.' }),
    title: z.string().nullable().meta({ description: 'The name for people.' }),
    description: z.string().meta({ description: 'What the tool does. Models read it.' }),
    input_schema: JsonObject.meta({ description: 'JSON Schema of the arguments.' }),
    output_schema: JsonObject.nullable().meta({ description: 'JSON Schema of the result.' }),
    hints: ToolHints,
  })
  .meta({ id: 'ToolManifest', description: 'A tool as its server lists it.' })

const ToolHash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')

export const ConnectorTool = z
  .object({
    name: z.string().meta({ description: 'The name of the tool.' }),
    object: z.literal('connector_tool'),
    connector_id: ConnectorId,
    state: z.enum(['approved', 'pending', 'changed', 'gone']).meta({
      id: 'ToolState',
      description:
        '`approved`: agents can use it. The others are off: `pending` was never approved, `changed` differs from what was ' +
        'approved, `gone` is no longer listed by the server.',
    }),
    hash: z
      .string()
      .nullable()
      .meta({ description: 'SHA-256 of the manifest that the server lists now. Send it to approve the tool.' }),
    manifest: ToolManifest.nullable().meta({ description: 'As the server lists it now; null if it does not.' }),
    approved_hash: z.string().nullable().meta({ description: 'SHA-256 of the manifest that was approved.' }),
    approved_manifest: ToolManifest.nullable().meta({
      description:
        'As it was approved. Null if nobody has approved it, and in state `approved`, where it equals `manifest`.',
    }),
    changes: z
      .array(z.string())
      .meta({ description: 'In state `changed`: the fields that differ, like `description` or `hints.read_only`.' }),
    looks_like: z
      .string()
      .nullable()
      .meta({ description: 'In state `pending`: an approved tool whose name is easily confused with this one.' }),
    approved_by: z.string().nullable().meta({ description: 'The key or person that approved it.' }),
    approved_at: z.iso.datetime().nullable().meta({ description: 'When it was approved.' }),
    changed_at: z.iso.datetime().meta({ description: 'When its state last changed.' }),
  })
  .meta({ id: 'ConnectorTool' })

export type ConnectorTool = z.infer<typeof ConnectorTool>

const RefusedTool = z
  .object({
    name: z.string().meta({ description: 'The name that the server lists.' }),
    reason: z.string().meta({ description: 'Why it can never be approved.' }),
  })
  .meta({ id: 'RefusedTool' })

export const RefreshedConnector = z
  .object({
    object: z.literal('connector_refresh'),
    connector: Connector,
    off: z.array(ConnectorTool).meta({ description: 'The tools that are not approved as they are listed now.' }),
    refused: z.array(RefusedTool).meta({
      description:
        'Listed tools that can never be approved, at most 100. Characters outside ASCII are shown as `U+0435`.',
    }),
  })
  .meta({ id: 'RefreshedConnector' })

export type RefreshedConnector = z.infer<typeof RefreshedConnector>

// Agents send content of runs to the address of a connector, so its author must be able to read runs.
export const connectors = {
  list: operation({
    method: 'GET',
    path: '/connectors',
    summary: 'List connectors',
    scope: 'connectors:read',
    names: 'nothing',
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
      'Adds an MCP server whose tools the agents of the organisation can use. The service lists the tools once and approves ' +
      'them in your name, unless `approve_tools` is false. If the server cannot be reached, the connector is created without ' +
      'tools and `tools_error` has the reason; refresh it later.',
    scope: 'connectors:write',
    names: 'organisation',
    alsoScopes: ['runs:read'],
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
    names: 'nothing',
    status: 200,
    input: z.strictObject({ id: ConnectorId }),
    output: Connector,
    errors: ['not_found'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/connectors/{id}',
    summary: 'Change a connector',
    description:
      'Changes the name, the address or the credential. After a change of the address all tools wait for approval again, and a key ' +
      'that changed it cannot approve them.',
    scope: 'connectors:write',
    names: 'organisation',
    conditionalScopes: [{ scope: 'runs:read', field: 'url' }],
    status: 200,
    input: UpdateConnector,
    output: Connector,
    errors: ['not_found', 'input_invalid', 'secrets_disabled', 'url_not_allowed'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/connectors/{id}',
    summary: 'Delete a connector',
    description:
      'Deletes the connector and its credential. Active runs that use it fail with `tool_error` at their next step.',
    scope: 'connectors:write',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ id: ConnectorId }),
    output: Connector,
    errors: ['not_found'],
  }),
  refresh: operation({
    method: 'POST',
    path: '/connectors/{id}/refresh',
    summary: 'List the tools of a connector again',
    description: 'Asks the server for its tools now and returns those that are off. Nothing is approved.',
    scope: 'connectors:write',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ id: ConnectorId }),
    output: RefreshedConnector,
    errors: ['not_found', 'connector_unreachable'],
  }),
  listTools: operation({
    method: 'GET',
    path: '/connectors/{id}/tools',
    summary: 'List the tools of a connector',
    description: 'All tools by name, with what was approved and what the server lists now. The list is not paged.',
    scope: 'connectors:read',
    names: 'nothing',
    status: 200,
    input: z.strictObject({ id: ConnectorId }),
    output: listOf(ConnectorTool, 'ConnectorToolList'),
    errors: ['not_found'],
  }),
  approveTool: operation({
    method: 'POST',
    path: '/connectors/{id}/tools/{name}/approve',
    summary: 'Approve a tool as it is listed now',
    description:
      'Agents can use the tool from their next step. If the tool has changed since you read its hash, nothing is approved ' +
      '(`tool_changed`). The key that changed the address of the connector, and the keys that it created or was rotated to, cannot ' +
      'approve its tools: another key or a person does.',
    scope: 'connectors:write',
    names: 'organisation',
    separateFrom: 'moved_connector',
    status: 200,
    input: z
      .strictObject({
        id: ConnectorId,
        name: z.string().min(1).max(connectorLimits.toolNameChars).meta({ description: 'The name of the tool.' }),
        hash: ToolHash.meta({ description: 'The `hash` of the tool that you have read.', examples: ['0'.repeat(64)] }),
      })
      .meta({ id: 'ApproveTool' }),
    output: ConnectorTool,
    errors: ['not_found', 'tool_changed', 'limit_reached'],
  }),
} as const
