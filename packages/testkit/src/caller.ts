import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'

/** The `Caller` of an API key with all scopes in its organisation. */
export const testCaller = (org: string) => {
  const id = newId('key')
  return {
    org,
    actor: { type: 'key' as 'key' | 'user', id: id as string },
    credential: 'key' as 'key' | 'session' | 'token',
    scopes: new Set<never>(),
    agentIds: null as ReadonlySet<string> | null,
    runId: null as string | null,
    isDemo: false,
    policySetId: null as string | null,
    runOwner: null as string | null,
    bucket: { id: toUuid(id), requestsPerMinute: 10_000, burst: 15_000 },
    retiring: null,
    sessionId: null as string | null,
  }
}

/** The `Ctx` of a request of that key, without waiting. */
export const testRequest = (org: string) => ({
  ...testCaller(org),
  requestId: newId('req') as string,
  address: '192.0.2.1',
  userAgent: undefined as string | undefined,
  idempotencyKey: undefined as string | undefined,
  prefer: { waitMs: 0, applied: undefined as string | undefined },
  lastEventId: undefined as string | undefined,
  draining: new AbortController().signal,
})

const newId = createIdMaker(systemClock)
