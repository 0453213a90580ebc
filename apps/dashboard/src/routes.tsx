import type { Scope } from '@agent-run-service/sdk'
import {
  agentSources,
  agentStatuses,
  alertSeverities,
  alertStatuses,
  analyticsGetGroupBies,
  analyticsIntervals,
  deliveryStatuses,
  eventsListTypes,
  eventTypes,
  pipelineRunStatuses,
  pipelineStatuses,
  policyStatuses,
  runStatuses,
  schedulesListStatuses,
  webhooksListStatuses,
} from '@agent-run-service/sdk'
import type { QueryClient } from '@tanstack/react-query'
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router'
import { statusOf } from './api/problem.ts'
import { integer, oneOf, ownPath, searchOf, someOf, text } from './search.ts'
import { sessionQuery } from './session.ts'
import { CrashState } from './shell/crash-state.tsx'
import { pathOfId } from './shell/id-paths.ts'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { Shell } from './shell/shell.tsx'

type Context = { queryClient: QueryClient }

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page is shown to people with this permission; the others see which role has it. Null: every member. */
    scope?: Scope | null
  }
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFoundPage })

const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(sessionQuery)
    } catch (error) {
      if (statusOf(error) !== 401) throw error
      throw redirect({ to: '/login', search: location.href === '/' ? {} : { next: location.href } })
    }
  },
})

/** A page without session. */
const open = <const Path extends string, Search extends object>(
  path: Path,
  component: RouteComponent,
  validateSearch: (raw: Record<string, unknown>) => Search,
) => createRoute({ getParentRoute: () => root, path, component, validateSearch })

/** A page inside the shell. */
const page = <const Path extends string, Search extends object>(
  path: Path,
  scope: Scope | null,
  component: RouteComponent,
  validateSearch: (raw: Record<string, unknown>) => Search,
) =>
  createRoute({
    getParentRoute: () => app,
    path,
    component,
    validateSearch,
    staticData: { scope },
    errorComponent: CrashState,
  })

const none = searchOf({})
const range = { created_after: text, created_before: text }

const agents = {
  list: lazyRouteComponent(() => import('./pages/agents/agent-list.tsx'), 'AgentListPage'),
  create: lazyRouteComponent(() => import('./pages/agents/agent-new.tsx'), 'AgentNewPage'),
  get: lazyRouteComponent(() => import('./pages/agents/agent-page.tsx'), 'AgentPage'),
  edit: lazyRouteComponent(() => import('./pages/agents/agent-edit.tsx'), 'AgentEditPage'),
  versions: lazyRouteComponent(() => import('./pages/agents/agent-versions.tsx'), 'AgentVersionsPage'),
  releases: lazyRouteComponent(() => import('./pages/agents/agent-releases.tsx'), 'AgentReleasesPage'),
}
const webhooks = {
  list: lazyRouteComponent(() => import('./pages/webhooks/webhook-list.tsx'), 'WebhookListPage'),
  create: lazyRouteComponent(() => import('./pages/webhooks/webhook-new.tsx'), 'WebhookNewPage'),
  deliveries: lazyRouteComponent(() => import('./pages/webhooks/delivery-list.tsx'), 'DeliveryListPage'),
  delivery: lazyRouteComponent(() => import('./pages/webhooks/delivery-page.tsx'), 'DeliveryPage'),
  missed: lazyRouteComponent(() => import('./pages/webhooks/webhook-missed.tsx'), 'WebhookMissedPage'),
  recoveries: lazyRouteComponent(() => import('./pages/webhooks/webhook-recoveries.tsx'), 'WebhookRecoveriesPage'),
  settings: lazyRouteComponent(() => import('./pages/webhooks/webhook-settings.tsx'), 'WebhookSettingsPage'),
}

const alerts = {
  list: lazyRouteComponent(() => import('./pages/alerts/alerts-page.tsx'), 'AlertsPage'),
  get: lazyRouteComponent(() => import('./pages/alerts/alert-page.tsx'), 'AlertPage'),
  create: lazyRouteComponent(() => import('./pages/alerts/rule-new.tsx'), 'RuleNewPage'),
  rule: lazyRouteComponent(() => import('./pages/alerts/rule-page.tsx'), 'RulePage'),
}

const policies = {
  list: lazyRouteComponent(() => import('./pages/policies/policy-list.tsx'), 'PolicyListPage'),
  templates: lazyRouteComponent(() => import('./pages/policies/template-list.tsx'), 'TemplateListPage'),
  create: lazyRouteComponent(() => import('./pages/policies/policy-new.tsx'), 'PolicyNewPage'),
  get: lazyRouteComponent(() => import('./pages/policies/policy-page.tsx'), 'PolicyPage'),
  edit: lazyRouteComponent(() => import('./pages/policies/policy-edit.tsx'), 'PolicyEditPage'),
  trials: lazyRouteComponent(() => import('./pages/policies/trials-page.tsx'), 'TrialsPage'),
}

const pipelines = {
  list: lazyRouteComponent(() => import('./pages/pipelines/pipeline-list.tsx'), 'PipelineListPage'),
  create: lazyRouteComponent(() => import('./pages/pipelines/pipeline-new.tsx'), 'PipelineNewPage'),
  get: lazyRouteComponent(() => import('./pages/pipelines/pipeline-page.tsx'), 'PipelinePage'),
  edit: lazyRouteComponent(() => import('./pages/pipelines/pipeline-edit.tsx'), 'PipelineEditPage'),
  versions: lazyRouteComponent(() => import('./pages/pipelines/pipeline-versions.tsx'), 'PipelineVersionsPage'),
  runs: lazyRouteComponent(() => import('./pages/pipelines/pipeline-run-list.tsx'), 'PipelineRunListPage'),
  run: lazyRouteComponent(() => import('./pages/pipelines/pipeline-run-page.tsx'), 'PipelineRunPage'),
}
const schedules = {
  list: lazyRouteComponent(() => import('./pages/schedules/schedule-list.tsx'), 'ScheduleListPage'),
  create: lazyRouteComponent(() => import('./pages/schedules/schedule-new.tsx'), 'ScheduleNewPage'),
  get: lazyRouteComponent(() => import('./pages/schedules/schedule-page.tsx'), 'SchedulePage'),
  edit: lazyRouteComponent(() => import('./pages/schedules/schedule-edit.tsx'), 'ScheduleEditPage'),
}
const batches = {
  list: lazyRouteComponent(() => import('./pages/batches/batch-list.tsx'), 'BatchListPage'),
  create: lazyRouteComponent(() => import('./pages/batches/batch-new.tsx'), 'BatchNewPage'),
  get: lazyRouteComponent(() => import('./pages/batches/batch-page.tsx'), 'BatchPage'),
}

/** Every component in every state. The import is left out of the build for users. */
const lab = import.meta.env.DEV ? lazyRouteComponent(() => import('./pages/lab/lab-page.tsx'), 'LabPage') : NotFoundPage

const runSearch = searchOf({
  status: someOf(runStatuses),
  agent_id: text,
  metadata: text,
  error_code: text,
  created_by: text,
  ...range,
})
const agentSearch = searchOf({ status: oneOf(agentStatuses), source: oneOf(agentSources), q: text })
const deliverySearch = searchOf({
  status: someOf(deliveryStatuses),
  type: oneOf(eventTypes),
  event_id: text,
  ...range,
})

const alertSearch = searchOf({
  view: oneOf(['rules', 'channels']),
  status: someOf(alertStatuses),
  severity: someOf(alertSeverities),
  rule_id: text,
})

const versionSearch = searchOf({ from: integer, to: integer })
const pipelineRunSearch = searchOf({ status: someOf(pipelineRunStatuses), pipeline_id: text, ...range })

/** Any id: by its prefix to its page. */
const go = createRoute({
  getParentRoute: () => app,
  path: '/go/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ href: pathOfId(params.id) ?? `/not-found/${encodeURIComponent(params.id)}` })
  },
})

/** Routes are made outside of this list: one that is created inside it is typed `any`, and all others with it. */
const tree = root.addChildren([
  open(
    '/login',
    lazyRouteComponent(() => import('./pages/login/login-page.tsx'), 'LoginPage'),
    searchOf({ next: ownPath }),
  ),
  open(
    '/invitation',
    lazyRouteComponent(() => import('./pages/login/invitation-page.tsx'), 'InvitationPage'),
    none,
  ),
  open(
    '/password-reset',
    lazyRouteComponent(() => import('./pages/login/password-reset-page.tsx'), 'PasswordResetPage'),
    none,
  ),
  open(
    '/email-proof',
    lazyRouteComponent(() => import('./pages/login/email-proof-page.tsx'), 'EmailProofPage'),
    none,
  ),
  open(
    '/shared',
    lazyRouteComponent(() => import('./pages/shared/shared-page.tsx'), 'SharedPage'),
    none,
  ),
  app.addChildren([
    page(
      '/',
      'runs:read',
      lazyRouteComponent(() => import('./pages/home/home-page.tsx'), 'HomePage'),
      none,
    ),
    page(
      '/runs',
      'runs:read',
      lazyRouteComponent(() => import('./pages/runs/run-list.tsx'), 'RunListPage'),
      runSearch,
    ),
    page(
      '/runs/compare',
      'runs:read',
      lazyRouteComponent(() => import('./pages/runs/run-compare.tsx'), 'RunComparePage'),
      searchOf({ a: text, b: text }),
    ),
    page(
      '/runs/$runId',
      'runs:read',
      lazyRouteComponent(() => import('./pages/runs/run-page.tsx'), 'RunPage'),
      searchOf({ step: integer, view: oneOf(['raw', 'replay']) }),
    ),
    page(
      '/approvals',
      'runs:read',
      lazyRouteComponent(() => import('./pages/approvals/approvals-page.tsx'), 'ApprovalsPage'),
      searchOf({ run: text, action: text }),
    ),
    page(
      '/playground',
      'runs:write',
      lazyRouteComponent(() => import('./pages/playground/playground-page.tsx'), 'PlaygroundPage'),
      searchOf({ agent_id: text, from_run: text, run: text, start: oneOf(['true']) }),
    ),
    page('/agents', 'agents:read', agents.list, agentSearch),
    page('/agents/new', 'agents:write', agents.create, searchOf({ kind: oneOf(['llm', 'remote']) })),
    page('/agents/$agentId', 'agents:read', agents.get, none),
    page('/agents/$agentId/edit', 'agents:write', agents.edit, searchOf({ step: oneOf(['review', 'release']) })),
    page('/agents/$agentId/versions', 'agents:read', agents.versions, versionSearch),
    page('/agents/$agentId/releases', 'agents:read', agents.releases, searchOf({ deployment: text })),
    page(
      '/catalog',
      'agents:read',
      lazyRouteComponent(() => import('./pages/catalog/catalog-list.tsx'), 'CatalogListPage'),
      searchOf({ q: text }),
    ),
    page(
      '/catalog/$key',
      'agents:read',
      lazyRouteComponent(() => import('./pages/catalog/catalog-page.tsx'), 'CatalogPage'),
      none,
    ),
    page(
      '/connectors',
      'connectors:read',
      lazyRouteComponent(() => import('./pages/connectors/connector-list.tsx'), 'ConnectorListPage'),
      none,
    ),
    page(
      '/connectors/new',
      'connectors:write',
      lazyRouteComponent(() => import('./pages/connectors/connector-new.tsx'), 'ConnectorNewPage'),
      none,
    ),
    page(
      '/connectors/$connectorId',
      'connectors:read',
      lazyRouteComponent(() => import('./pages/connectors/connector-page.tsx'), 'ConnectorPage'),
      none,
    ),
    page('/policies', 'policies:read', policies.list, searchOf({ status: someOf(policyStatuses) })),
    page('/policies/templates', 'policies:read', policies.templates, none),
    page('/policies/new', 'policies:write', policies.create, none),
    page('/policies/$policyId', 'policies:read', policies.get, none),
    page('/policies/$policyId/edit', 'policies:write', policies.edit, none),
    page('/policies/$policyId/trials', 'policies:read', policies.trials, searchOf({ trial: text })),
    page('/pipelines', 'pipelines:read', pipelines.list, searchOf({ status: someOf(pipelineStatuses), q: text })),
    page('/pipelines/new', 'pipelines:write', pipelines.create, searchOf({ example: text })),
    page('/pipelines/$pipelineId', 'pipelines:read', pipelines.get, none),
    page('/pipelines/$pipelineId/edit', 'pipelines:write', pipelines.edit, none),
    page('/pipelines/$pipelineId/versions', 'pipelines:read', pipelines.versions, versionSearch),
    page('/pipeline-runs', 'pipelines:read', pipelines.runs, pipelineRunSearch),
    page('/pipeline-runs/$pipelineRunId', 'pipelines:read', pipelines.run, searchOf({ step: text })),
    page('/schedules', 'schedules:read', schedules.list, searchOf({ status: someOf(schedulesListStatuses) })),
    page('/schedules/new', 'schedules:write', schedules.create, none),
    page('/schedules/$scheduleId', 'schedules:read', schedules.get, none),
    page('/schedules/$scheduleId/edit', 'schedules:write', schedules.edit, none),
    page('/batches', 'runs:read', batches.list, searchOf({ agent_id: text })),
    page('/batches/new', 'runs:write', batches.create, searchOf({ agent_id: text })),
    page('/batches/$batchId', 'runs:read', batches.get, none),
    page(
      '/analytics',
      'analytics:read',
      lazyRouteComponent(() => import('./pages/analytics/analytics-page.tsx'), 'AnalyticsPage'),
      searchOf({
        from: text,
        to: text,
        interval: oneOf(analyticsIntervals),
        agent_id: text,
        group_by: oneOf(analyticsGetGroupBies),
      }),
    ),
    page(
      '/usage',
      'usage:read',
      lazyRouteComponent(() => import('./pages/usage/usage-page.tsx'), 'UsagePage'),
      searchOf({ month: text, show: oneOf(['runs', 'cost', 'tokens']) }),
    ),
    page('/alerts', 'alerts:read', alerts.list, alertSearch),
    page('/alerts/$alertId', 'alerts:read', alerts.get, none),
    page('/alert-rules/new', 'alerts:write', alerts.create, none),
    page('/alert-rules/$ruleId', 'alerts:read', alerts.rule, none),
    page('/webhooks', 'webhooks:read', webhooks.list, searchOf({ status: someOf(webhooksListStatuses) })),
    page('/webhooks/new', 'webhooks:write', webhooks.create, none),
    page('/webhooks/$webhookId', 'webhooks:read', webhooks.deliveries, deliverySearch),
    page('/webhooks/$webhookId/missed', 'webhooks:read', webhooks.missed, searchOf(range)),
    page('/webhooks/$webhookId/recoveries', 'webhooks:read', webhooks.recoveries, none),
    page('/webhooks/$webhookId/settings', 'webhooks:read', webhooks.settings, none),
    page(
      '/webhooks/$webhookId/deliveries/$deliveryId',
      'webhooks:read',
      webhooks.delivery,
      searchOf({ attempt: integer }),
    ),
    page(
      '/events',
      'events:read',
      lazyRouteComponent(() => import('./pages/events/event-list.tsx'), 'EventListPage'),
      searchOf({ type: someOf(eventsListTypes), ...range }),
    ),
    page(
      '/events/$eventId',
      'events:read',
      lazyRouteComponent(() => import('./pages/events/event-page.tsx'), 'EventPage'),
      none,
    ),
    page(
      '/settings/api-keys',
      'keys:read',
      lazyRouteComponent(() => import('./pages/api-keys/api-key-list.tsx'), 'ApiKeyListPage'),
      searchOf({ status: oneOf(['active', 'rotated', 'revoked']) }),
    ),
    page(
      '/settings/api-keys/$keyId',
      'keys:read',
      lazyRouteComponent(() => import('./pages/api-keys/api-key-page.tsx'), 'ApiKeyPage'),
      none,
    ),
    page(
      '/settings/members',
      'members:write',
      lazyRouteComponent(() => import('./pages/settings/members-page.tsx'), 'MembersPage'),
      none,
    ),
    page(
      '/settings/audit-log',
      'audit:read',
      lazyRouteComponent(() => import('./pages/settings/audit-log-page.tsx'), 'AuditLogPage'),
      searchOf({ actor: text, action: text, subject: text, entry: text, ...range }),
    ),
    page(
      '/settings/organisation',
      null,
      lazyRouteComponent(() => import('./pages/settings/organisation-page.tsx'), 'OrganisationPage'),
      none,
    ),
    page(
      '/settings/profile',
      null,
      lazyRouteComponent(() => import('./pages/settings/profile-page.tsx'), 'ProfilePage'),
      none,
    ),
    page(
      '/settings/sessions',
      null,
      lazyRouteComponent(() => import('./pages/settings/sessions-page.tsx'), 'SessionsPage'),
      none,
    ),
    page('/lab', null, lab, none),
    go,
    page('/$', null, NotFoundPage, none),
  ]),
])

export const createAppRouter = (queryClient: QueryClient) => {
  const router = createRouter({
    routeTree: tree,
    basepath: '/dashboard',
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  })
  // Session and code of the first page are loaded at once and beside each other. A failure shows when they are needed.
  const routes: Readonly<Record<string, AnyRoute>> = router.routesById
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    if (routeId === app.id) void queryClient.prefetchQuery(sessionQuery)
    const route = routes[routeId]
    if (route) router.loadRouteChunk(route)?.catch(() => undefined)
  }
  return router
}
