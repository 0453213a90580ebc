import { limits } from '@ars/contract'

/** The title of each resource, and what can be done with it. */
const tags: Readonly<Record<string, readonly [name: string, description: string]>> = {
  runs: ['Runs', 'Create, stream, read, answer and cancel runs of agents.'],
  agents: ['Agents', 'Hire, create, change and archive agents, and read their versions.'],
  catalog: ['Catalog', 'Agents that can be hired.'],
  models: ['Models', 'Models that agents can use.'],
  deployments: ['Deployments', 'Released versions of agents: promote and roll back.'],
  connectors: ['Connectors', 'MCP servers whose tools agents can use.'],
  webhooks: ['Webhooks', 'Endpoints that receive events, and their deliveries.'],
  events: ['Events', 'Events of the organisation.'],
  apiKeys: ['API keys', 'Credentials for programs.'],
  sessionTokens: ['Session tokens', 'Short-lived tokens for browsers.'],
  auth: ['Authentication', 'Login, logout, invitations and passwords.'],
  sessions: ['Sessions', 'Browser sessions of the current person.'],
  organisation: ['Organisation', 'The organisation of the credential, with its plan and limits.'],
  members: ['Members', 'Members of the organisation and invitations.'],
  auditLog: ['Audit log', 'Administrative operations of the organisation.'],
  alertRules: ['Alert rules', 'Rules that watch figures, and previews of them.'],
  alerts: ['Alerts', 'Rules that fired.'],
  policies: ['Policies', 'Rules for what enters and leaves runs, and where they apply.'],
  policyTemplates: ['Policy templates', 'Policies with parameters.'],
  policyTrials: ['Policy trials', 'What policies would have done in past runs.'],
  pipelines: ['Pipelines', 'Steps that run agents and ask people: create, check, change and archive.'],
  pipelineRuns: ['Pipeline runs', 'Start, stream, read, decide, cancel and repeat runs of pipelines.'],
  schedules: ['Schedules', 'Dates at which agents and pipelines start, and what came of them.'],
  batches: ['Batches', 'Many runs of one agent, which use the capacity that other runs leave.'],
}

export const tagOf = (resource: string): string => tags[resource]?.[0] ?? resource

export const tagWords = (resource: string): string => tags[resource]?.[1] ?? `Operations on ${resource}.`

/** Everything that holds for all operations, so that they need not repeat it. */
export const introduction = `Runs AI agents for other programs.

## Compatibility

Responses can gain fields, and enumerations can gain values, without a new version: ignore unknown fields and values.

## Lists

Every list returns one page: \`data\`, \`has_more\`, \`first_id\` and \`last_id\`. Items are sorted newest first unless the operation says otherwise.
\`limit\` sets the size of the page (default ${limits.pageSizeDefault}, at most ${limits.pageSizeMax}); a page of large items is smaller. To read the next page, repeat the request with
\`after\` set to \`last_id\`, while \`has_more\` is true. \`before\` set to \`first_id\` returns the page before this one. Items that are created while you
page do not move the others.

## Errors

Every error has the same body, \`Error\`. Branch on \`error.code\`; \`error.message\` is for people. \`error.doc_url\` leads to the description of the code.
Any operation can return the statuses of the response \`OtherError\`.

## Headers of every response

\`X-Request-Id\` identifies the request in the logs, and \`X-Api-Revision\` is the revision of the API. With a valid credential also \`RateLimit-Policy\`, \`RateLimit\`,
\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; after the rotation of a key also \`Deprecation\` and \`Sunset\`. The response
\`TooManyRequests\` describes them.

## Expected organisation

The credential decides for which organisation a request acts. To make sure of it, send the id of the organisation that you expect as the header
\`ARS-Organisation\`: a request whose credential acts for another organisation is refused with 422 \`organisation_mismatch\`, and nothing is done. All
tabs of a browser share one session cookie, so a page should send it with every request.

## Retries

A POST that takes \`Idempotency-Key\` can be repeated safely with the same key: it is executed once. Other methods can be repeated as they are.

## Streams

Streams are server-sent events. Each frame has an \`id\`, an \`event\` with its type, and \`data\` in one line of JSON. To resume, send the last
\`id\` as \`Last-Event-ID\`. Lines that begin with a colon are heartbeats. A request is refused with a JSON error before the first frame.`
