/** Permissions. A key holds a list of scopes; an operation requires one, and more for some inputs. */
export const scopes = [
  'runs:read',
  'runs:write',
  'runs:approve',
  'runs:erase',
  'runs:share',
  'agents:read',
  'agents:write',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
  'usage:read',
  'analytics:read',
  'pipelines:read',
  'pipelines:write',
  'policies:read',
  'policies:write',
  'connectors:read',
  'connectors:write',
  'alerts:read',
  'alerts:write',
  'events:read',
  'audit:read',
  'members:write',
] as const

export type Scope = (typeof scopes)[number]
