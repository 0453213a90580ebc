import { systemClock } from '@ars/platform/clock'
import { createIdMaker } from '@ars/platform/id'

/** Who asks, as a key that may do everything in its organisation would: a `Caller` of the product. */
export function testCaller(org: string) {
  const id = newId('key')
  return {
    org,
    actor: { type: 'key' as 'key' | 'user', id: id as string },
    credential: 'key' as 'key' | 'session' | 'token',
    scopes: new Set<never>(),
    agentIds: null as ReadonlySet<string> | null,
    runId: null as string | null,
    isDemo: false,
    bucket: { id: id as string, requestsPerMinute: 10_000, burst: 15_000 },
    retiring: null,
    sessionId: null as string | null,
  }
}

/** One request of that key, which waits for nothing: a `Ctx` of the product. */
export function testRequest(org: string) {
  return {
    ...testCaller(org),
    requestId: newId('req') as string,
    address: '192.0.2.1',
    userAgent: undefined as string | undefined,
    idempotencyKey: undefined as string | undefined,
    prefer: { waitMs: 0, applied: undefined as string | undefined },
    lastEventId: undefined as string | undefined,
    draining: new AbortController().signal,
  }
}

const newId = createIdMaker(systemClock)
