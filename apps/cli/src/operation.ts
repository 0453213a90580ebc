import rows from './generated/operations.json' with { type: 'json' }

/** An operation of the API, from the contract. */
export type Operation = {
  id: string
  resource: string
  name: string
  method: string
  path: string
  summary: string
  answers: 'record' | 'page' | 'stream'
  /** It needs the session cookie of a browser. */
  isForBrowsers: boolean
  ids: readonly string[]
  query: readonly Input[]
  body: readonly Input[] | null
}

export type Input = {
  name: string
  kind: 'text' | 'number' | 'boolean' | 'words' | 'pairs' | 'json'
  isRequired: boolean
  /** It is not given on the command line, where the history of the shell and the list of processes would have it. */
  isSecret?: boolean
  docs: string
  values?: readonly string[]
}

export const operations = rows as readonly Operation[]

/** The words of the command line where the API's own would be long or unusual. */
const groupNames: Readonly<Record<string, string>> = {
  apiKeys: 'keys',
  auditLog: 'audit',
  sessionTokens: 'tokens',
  deployments: 'releases',
}

/** Commands by hand whose name is not that of their operation. */
const byHand: Readonly<Record<string, string>> = {
  'runs.stream': 'runs create',
  'runs.watch': 'runs stream',
  'connectors.listTools': 'connectors tools',
  'connectors.approveTool': 'connectors approve',
  'events.watch': 'events stream',
  'webhooks.recovery': 'webhooks recoveries',
  'policyTemplates.list': 'policies templates',
  'policyTrials.create': 'policies try',
  'policyTrials.list': 'policies trials',
  'policyTrials.get': 'policies trials',
  'policyTrials.cancel': 'policies cancel-trial',
  'pipelineRuns.create': 'pipelines run',
  'usage.get': 'usage',
  'analytics.get': 'analytics',
}

/** The words after `ars` that reach an operation. Operations of browsers need `ars api`, with a cookie of a session. */
export const commandOf = ({ id, resource, name, isForBrowsers }: Operation): string => {
  if (isForBrowsers) return 'api'
  return byHand[id] ?? `${groupNames[resource] ?? kebab(resource)} ${kebab(name)}`
}

export const kebab = (name: string): string =>
  name.replaceAll('_', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
