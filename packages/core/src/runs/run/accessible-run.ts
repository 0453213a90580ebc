import type { RunId } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { type AccessibleAgentId, type AllowedAgents, allowsAgent } from '../../agent-access.ts'
import { runIdOf } from './run.ts'

declare const checked: unique symbol

/**
 * A run that the caller may touch. For a key that may use every agent, the statement that reads the run finds out
 * whether it exists, so that such a key needs no extra statement.
 */
export type AccessibleRun = { readonly id: RunId; readonly uuid: string; readonly [checked]: 'run' }

/** The run whose agent is `agentId`, where these agents allow it; null: they do not. */
export const accessibleRun = (allowed: AllowedAgents, id: RunId, agentId: string): AccessibleRun | null =>
  allowsAgent(allowed, agentId) ? runNamed(id, toUuid(id)) : null

/** Any run of the organisation, for a caller that may use every agent; null: it may not. */
export const anyRun = ({ ids }: AllowedAgents, id: RunId): AccessibleRun | null =>
  ids === null ? runNamed(id, toUuid(id)) : null

/** A run that was accepted for this agent, now or under the same idempotency key before. */
export const runOfAgent = (_agent: AccessibleAgentId, uuid: string): AccessibleRun => runNamed(runIdOf(uuid), uuid)

const runNamed = (id: RunId, uuid: string): AccessibleRun => ({ id, uuid }) as AccessibleRun
