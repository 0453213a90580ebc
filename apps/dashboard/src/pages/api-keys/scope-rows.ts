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

export const scopePresets: readonly { title: string; pick(grantable: readonly Scope[]): readonly Scope[] }[] = [
  {
    title: 'Run agents',
    pick: (grantable) => grantable.filter((scope) => ['runs:read', 'runs:write', 'agents:read'].includes(scope)),
  },
  { title: 'Read everything', pick: (grantable) => grantable.filter((scope) => scope.endsWith(':read')) },
  { title: 'All that I may', pick: (grantable) => grantable },
]
