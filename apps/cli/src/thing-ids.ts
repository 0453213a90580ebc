import type { AgentRunService } from '@agent-run-service/sdk'
import { cliBounds } from './bounds.ts'
import { findIdByName } from './thing-name.ts'

/** A connector is named by its id or its name. */
export const findConnectorId = (client: AgentRunService, given: string, signal: AbortSignal): Promise<string> =>
  findIdByName({ prefix: 'con', noun: 'connector', list: 'ars connectors list' }, given, () =>
    client.connectors.list({ limit: cliBounds.page.count }, { signal }),
  )

/** A policy is named by its id, or by a name that only one policy has. */
export const findPolicyId = (client: AgentRunService, given: string, signal: AbortSignal): Promise<string> =>
  findIdByName({ prefix: 'pol', noun: 'policy', nouns: 'policies', list: 'ars policies list' }, given, () =>
    client.policies.list({ status: ['active', 'ended'], limit: cliBounds.page.count }, { signal }),
  )
