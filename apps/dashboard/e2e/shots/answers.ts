import * as agents from './data/agents.ts'
import * as alerts from './data/alerts.ts'
import { id, ids } from './data/base.ts'
import * as people from './data/people.ts'
import * as runs from './data/runs.ts'
import * as usage from './data/usage.ts'
import * as webhooks from './data/webhooks.ts'

/** What the service of the pictures holds: much, nothing, or it fails. */
export type World = 'full' | 'empty' | 'failing' | 'missing'

export type Answer = { status: number; body: unknown }

type Asked = { query: URLSearchParams; isEmpty: boolean; part: string }

const list = (data: readonly object[]) => ({ object: 'list', data, has_more: false, first_id: null, last_id: null })
const shown = <Row extends object>({ isEmpty }: Asked, rows: readonly Row[]) => list(isEmpty ? [] : rows)
const byId = <Row extends { id: string }>(rows: readonly Row[], wanted: string): Row | undefined =>
  rows.find(({ id: own }) => own === wanted)

/** The rows that a query such as `?status=a,b` keeps. */
const matching = <Row extends object>({ query }: Asked, rows: readonly Row[], ...names: string[]): readonly Row[] =>
  rows.filter((row) =>
    names.every((name) => {
      const wanted = query.getAll(name).flatMap((value) => value.split(','))
      return wanted.length === 0 || wanted.includes(String(row[name as keyof Row]))
    }),
  )

/** The responses to `GET`, by path. The first group of the expression is `part`. */
const routes: readonly (readonly [path: RegExp, answer: (asked: Asked) => unknown])[] = [
  [/^\/runs$/, (asked) => shown(asked, matching(asked, runs.runs, 'status', 'agent_id'))],
  [/^\/runs\/[^/]+\/steps$/, () => list(runs.steps)],
  [/^\/runs\/[^/]+\/diagnosis$/, () => runs.diagnosis],
  [/^\/runs\/([^/]+)$/, ({ part }) => byId(runs.runs, part)],
  [/^\/agents$/, (asked) => shown(asked, matching(asked, agents.agents, 'status', 'source'))],
  [/^\/agents\/[^/]+\/stats$/, ({ isEmpty }) => ({ ...agents.stats, ...(isEmpty && { runs: nothing }) })],
  [/^\/agents\/[^/]+\/versions\/\d+\/diff$/, () => agents.diff],
  [/^\/agents\/[^/]+\/versions$/, ({ isEmpty }) => list(isEmpty ? agents.versions.slice(-1) : agents.versions)],
  [
    /^\/agents\/([^/]+)$/,
    ({ part, isEmpty }) => (isEmpty ? { ...agents.newAgent, id: part } : byId(agents.agents, part)),
  ],
  [
    /^\/deployments$/,
    (asked) =>
      list(asked.isEmpty ? [agents.firstDeployment] : matching(asked, agents.deployments, 'status', 'agent_id')),
  ],
  [/^\/deployments\/[^/]+\/comparison$/, () => agents.comparison],
  [
    /^\/deployments\/([^/]+)$/,
    ({ part, isEmpty }) => (isEmpty ? agents.firstDeployment : byId(agents.deployments, part)),
  ],
  [/^\/models$/, () => list(agents.models)],
  [/^\/catalog$/, ({ query }) => list(query.has('q') ? [] : agents.catalog)],
  [/^\/catalog\/([^/]+)$/, ({ part }) => byId(agents.catalog, part)],
  [/^\/connectors$/, (asked) => shown(asked, webhooks.connectors)],
  [/^\/connectors\/[^/]+\/tools$/, (asked) => shown(asked, webhooks.tools)],
  [/^\/connectors\/([^/]+)$/, ({ part }) => byId(webhooks.connectors, part)],
  [/^\/webhooks$/, (asked) => shown(asked, matching(asked, webhooks.webhooks, 'status'))],
  [/^\/webhooks\/[^/]+\/deliveries$/, (asked) => shown(asked, matching(asked, webhooks.deliveries, 'event_id'))],
  [/^\/webhooks\/[^/]+\/deliveries\/[^/]+$/, () => webhooks.retried],
  [/^\/webhooks\/[^/]+\/missed$/, (asked) => shown(asked, webhooks.events.slice(4, 12))],
  [/^\/webhooks\/[^/]+\/recoveries$/, (asked) => shown(asked, webhooks.recoveries)],
  [/^\/webhooks\/[^/]+\/recoveries\/([^/]+)$/, ({ part }) => byId(webhooks.recoveries, part)],
  [
    /^\/webhooks\/([^/]+)$/,
    ({ part, isEmpty }) => (isEmpty ? { ...webhooks.newWebhook, id: part } : byId(webhooks.webhooks, part)),
  ],
  [/^\/events$/, (asked) => shown(asked, webhooks.events)],
  [/^\/events\/[^/]+$/, () => webhooks.shownEvent],
  [/^\/api-keys$/, (asked) => (asked.query.has('created_by') ? list([]) : shown(asked, people.keys))],
  [/^\/api-keys\/([^/]+)$/, ({ part }) => byId(people.keys, part)],
  [/^\/members$/, ({ isEmpty }) => list(isEmpty ? people.members.slice(0, 1) : people.members)],
  [/^\/members\/directory$/, () => list(people.directory)],
  [/^\/members\/me\/notifications$/, () => people.notifications],
  [/^\/(?:members\/)?invitations$/, (asked) => shown(asked, people.invitations)],
  [/^\/audit-log$/, (asked) => shown(asked, people.auditLog)],
  [/^\/alerts$/, (asked) => shown(asked, matching(asked, alerts.alerts, 'status', 'severity'))],
  [/^\/alerts\/([^/]+)$/, ({ part }) => byId(alerts.alerts, part)],
  [/^\/alert-rules$/, (asked) => shown(asked, alerts.rules)],
  [/^\/alert-rules\/preview$/, () => alerts.preview],
  [/^\/alert-rules\/([^/]+)$/, ({ part }) => byId(alerts.rules, part)],
  [/^\/usage$/, ({ isEmpty }) => (isEmpty ? usage.noUsage : usage.usage)],
  [/^\/analytics$/, ({ isEmpty }) => (isEmpty ? usage.noAnalytics : usage.analytics)],
  [/^\/provider-keys$/, (asked) => shown(asked, people.providerKeys)],
  [/^\/organisation$/, () => people.organisationDetails],
  [/^\/(?:api\/auth\/)?sessions$/, () => list(people.sessions)],
]
const nothing = { queued: 0, running: 0, requires_action: 0, cancelling: 0 }

/** The response of the service, or null: it does not answer yet, as a stream without frames. */
export const answerTo = (method: string, url: URL, world: World): Answer | null => {
  const path = url.pathname.replace(/^\/v2/, '')
  if (path.endsWith('/stream')) return null
  if (path === '/api/auth/me') return { status: 200, body: people.session }
  if (path === '/api/auth/login') return refusal(401, 'login_failed', 'The e-mail address or the password is wrong')
  if (world === 'failing') return refusal(500, 'internal_error', 'The service could not answer this request')
  const found = routes.find(([pattern]) => pattern.test(path))
  const body = found?.[1]({
    query: url.searchParams,
    isEmpty: world === 'empty',
    part: found[0].exec(path)?.[1] ?? '',
  })
  if ((method !== 'GET' && !path.endsWith('/preview')) || world === 'missing' || body === undefined) {
    return refusal(404, 'not_found', 'There is no such thing in this organisation')
  }
  return { status: 200, body }
}

const refusal = (status: number, code: string, message: string): Answer => {
  const type = status < 500 ? 'invalid_request_error' : 'api_error'
  const doc_url = `https://agents.northwind.example/docs/errors#${code}`
  return {
    status,
    body: { error: { type, code, message, reason: null, param: null, request_id: id('req', 1), doc_url, details: [] } },
  }
}

/** What each parameter of a path stands for in the pictures. */
export const parameters: Readonly<Record<string, string>> = {
  runId: runs.doneRun.id,
  agentId: ids.refunds,
  key: 'summariser',
  connectorId: ids.shop,
  webhookId: ids.billing,
  deliveryId: webhooks.retried.id,
  eventId: webhooks.shownEvent.id,
  keyId: ids.webKey,
  alertId: id('alt', 1),
  ruleId: id('alr', 1),
}
