import { readFileSync } from 'node:fs'
import { AgentRunService, type ClientOptions, type Fetch } from '@agent-run-service/sdk'
import { stackFacts } from '@ars/testkit/stack'
import { Agent, fetch } from 'undici'
import type { App } from './app.ts'

/**
 * A client as a customer creates it, except for the certificate of the test stack, which no machine trusts by default.
 */
export const sdkClient = (app: App, options: ClientOptions = {}): AgentRunService =>
  new AgentRunService({ apiKey: app.tenant.key, baseUrl: `${app.url}/v2`, fetch: trustingFetch(), ...options })

export const trustingFetch = (): Fetch => {
  const dispatcher = new Agent({ connect: { ca: readFileSync(stackFacts().tls.certFile) } })
  return ((url: string, init: RequestInit) =>
    fetch(url, { ...init, dispatcher } as Parameters<typeof fetch>[1])) as unknown as Fetch
}
