/** The resources of the contract whose operations each file of the matrix calls. `parts.test.ts` finds one that is missing. */
export const parts = {
  agents: ['agents', 'catalog', 'models', 'deployments'],
  alerts: ['alertRules', 'alerts', 'alertDestinations', 'analytics', 'usage', 'budgets'],
  batches: ['batches', 'schedules'],
  connectors: ['connectors', 'events', 'webhooks'],
  keys: ['apiKeys', 'sessionTokens', 'auditLog', 'organisation', 'providerKeys'],
  people: ['auth', 'members', 'sessions'],
  'pipeline-runs': ['pipelineRuns'],
  pipelines: ['pipelines', 'policies', 'policyTemplates', 'policyTrials'],
  runs: ['runs'],
} as const

export type Part = keyof typeof parts
