/** The attacker's goal, a write or a read: a request that the visitor's own pages may make. */
export type Target = {
  name: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: Record<string, unknown>
}

/** A way for a page to make a browser send a request, and the method that arrives. `own`: the target's. */
export type Way = { name: string; sends: 'GET' | 'POST' | 'own' }

const waysByMethod = {
  POST: [
    'form',
    'form with parts',
    'form of text',
    'form in a window',
    'no-cors fetch',
    'no-cors fetch of nothing',
    'no-cors fetch of a blob',
    'no-cors fetch kept alive',
    'fetch of text',
    'xhr of text',
    'beacon',
    'beacon of JSON',
  ],
  own: ['fetch of JSON', 'fetch of JSON kept alive', 'xhr of JSON'],
  GET: ['image', 'script', 'style sheet', 'frame', 'window', 'event source'],
} as const

export const ways: readonly Way[] = Object.entries(waysByMethod).flatMap(([sends, names]) =>
  names.map((name) => ({ name, sends: sends as Way['sends'] })),
)

/** The participants of the attacks. */
export type Cast = {
  echoAgent: string
  /** A key that could be revoked and renamed. */
  key: string
  /** A run that waits for an answer. */
  waitingRun: string
  /** A run that has ended. */
  run: string
  visitor: { password: string }
  /** The attacker's own account, which a visitor could be logged in to. */
  attacker: { email: string; password: string }
}

/**
 * In an order in which the visitor could do them all. Each body contains an equals sign in one of its texts where
 * possible: a form of the type text/plain can then write it.
 */
export const writesOf = (cast: Cast): readonly Target[] => [
  {
    name: 'create a key',
    method: 'POST',
    path: '/v2/api-keys',
    body: { name: 'from=afar', scopes: ['runs:read'] },
  },
  { name: 'rename a key', method: 'PATCH', path: `/v2/api-keys/${cast.key}`, body: { name: 'renamed=afar' } },
  { name: 'revoke a key', method: 'DELETE', path: `/v2/api-keys/${cast.key}`, body: {} },
  {
    name: 'create a run',
    method: 'POST',
    path: '/v2/runs',
    body: { agent_id: cast.echoAgent, input: { query: 'from=afar' } },
  },
  {
    name: 'answer a run',
    method: 'POST',
    path: `/v2/runs/${cast.waitingRun}/action`,
    body: { type: 'approve', comment: 'from=afar' },
  },
  {
    name: 'invite a member',
    method: 'POST',
    path: '/v2/members/invitations',
    body: { email: 'eve=mallory@evil.example', role: 'admin' },
  },
  {
    name: 'make a token',
    method: 'POST',
    path: '/v2/session-tokens',
    body: { scopes: ['runs:read'] },
  },
  {
    name: 'change the password',
    method: 'POST',
    path: '/v2/api/auth/password',
    body: { current_password: cast.visitor.password, new_password: 'chosen=by somebody else' },
  },
  {
    name: 'log the visitor in as the attacker',
    method: 'POST',
    path: '/api/auth/login',
    body: { email: cast.attacker.email, password: cast.attacker.password },
  },
  { name: 'log the visitor out', method: 'POST', path: '/api/auth/logout', body: {} },
]

export const readsOf = ({ run }: Cast): readonly Target[] =>
  ['/v2/api/auth/me', '/v2/api-keys', `/v2/runs/${run}`, `/v2/runs/${run}/stream`].map((path) => ({
    name: `read ${path}`,
    method: 'GET',
    path,
  }))

export type Attack = { url: string; method: string; body?: Record<string, unknown> }

/**
 * Each target in this way. Ways that need a body are not tried on reads; a target without a body is tried once per
 * address, because a browser merges two identical requests.
 */
export const attacksOn = (baseUrl: string, way: Way, targets: readonly Target[]): Attack[] => {
  const attacks = targets
    .filter(({ method }) => method !== 'GET' || way.sends !== 'POST')
    .map(({ method, path, body }) => ({
      url: baseUrl + path,
      method: way.sends === 'own' ? method : way.sends,
      ...(body ? { body } : {}),
    }))
  return way.sends === 'GET' ? [...new Map(attacks.map((attack) => [attack.url, attack])).values()] : attacks
}
