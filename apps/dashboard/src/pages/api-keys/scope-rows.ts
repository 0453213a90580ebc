import { type Scope, scopes } from '@agent-run-service/sdk'

/** One resource of the grid: the scopes that it has, by verb. */
export type ScopeRow = { resource: string; read?: Scope; write?: Scope; others: readonly Scope[] }

export const scopeRows: readonly ScopeRow[] = (() => {
  const rows = new Map<string, { resource: string; read?: Scope; write?: Scope; others: Scope[] }>()
  for (const scope of scopes) {
    const [resource = '', verb = ''] = scope.split(':')
    const row = rows.get(resource) ?? { resource, others: [] }
    if (verb === 'read' || verb === 'write') row[verb] = scope
    else row.others.push(scope)
    rows.set(resource, row)
  }
  return [...rows.values()]
})()

/** The only scopes that a demo key can hold. The service refuses the others. */
const demoScopes: readonly Scope[] = ['runs:read', 'runs:write', 'agents:read', 'usage:read']

/** The scopes that a person can give to a key of this kind. */
export const grantableScopes = (own: readonly string[], kind: string): readonly Scope[] =>
  scopes.filter((scope) => own.includes(scope) && (kind !== 'demo' || demoScopes.includes(scope)))

/** What these scopes allow only together with `runs:read`, because it sends content of runs somewhere or shows it. */
export const needRunsRead: Readonly<Partial<Record<Scope, string>>> = {
  'agents:write': 'create a remote agent or change its address',
  'webhooks:read': 'list the missed events of runs',
  'webhooks:write': 'subscribe a webhook to runs',
  'events:read': 'read events of runs',
  'pipelines:read': 'read pipeline runs',
  'policies:read': 'read trials of policies',
  'policies:write': 'try a policy, or use one that asks a model or a host',
  'connectors:write': 'add a connector or change its address',
  'runs:share': 'share runs',
  'keys:write': 'set keys of model providers',
}

/** What of these scopes concerns every agent, so that a key for some agents is refused. */
export const forEveryAgent: Readonly<Partial<Record<Scope, string>>> = {
  'agents:write': 'create or hire agents',
  'webhooks:read': 'see webhooks',
  'webhooks:write': 'change webhooks',
  'events:read': 'read events',
  'pipelines:read': 'see pipelines',
  'pipelines:write': 'change pipelines',
  'policies:read': 'see policies',
  'policies:write': 'change policies',
  'connectors:write': 'change connectors',
  'alerts:read': 'see alert destinations',
  'alerts:write': 'change alert destinations',
  'members:write': 'manage members',
  'keys:read': 'see keys of model providers',
  'keys:write': 'change keys of model providers',
}

/** What the key cannot do although its scopes suggest it, as sentences. */
export const scopeNotes = (chosen: ReadonlySet<Scope>, { isNarrowed }: { isNarrowed: boolean }): readonly string[] => {
  const deedsOf = (table: Readonly<Partial<Record<Scope, string>>>): readonly string[] =>
    scopes.flatMap((scope) => (chosen.has(scope) ? (table[scope] ?? []) : []))
  const blind = chosen.has('runs:read') ? [] : deedsOf(needRunsRead)
  const outside = isNarrowed ? deedsOf(forEveryAgent) : []
  return [
    ...(blind.length === 0 ? [] : [`Without runs:read the key cannot ${listed(blind)}.`]),
    ...(outside.length === 0 ? [] : [`Limited to some agents, the key cannot ${listed(outside)}.`]),
  ]
}

const listed = (parts: readonly string[]): string => new Intl.ListFormat('en', { type: 'disjunction' }).format(parts)

export const scopePresets: readonly { title: string; pick(grantable: readonly Scope[]): readonly Scope[] }[] = [
  {
    title: 'Run agents',
    pick: (grantable) => grantable.filter((scope) => ['runs:read', 'runs:write', 'agents:read'].includes(scope)),
  },
  { title: 'Read everything', pick: (grantable) => grantable.filter((scope) => scope.endsWith(':read')) },
  { title: 'All that I may', pick: (grantable) => grantable },
]
