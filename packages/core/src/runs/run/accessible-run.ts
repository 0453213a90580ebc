import type { RunId } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { type AccessibleAgentId, type AgentAccess, type AllowedAgents, allowsAgent, sees } from '../../agent-access.ts'
import { runIdOf } from './run.ts'

declare const checked: unique symbol

/**
 * A run that the caller may touch. For a key that may use every agent, the statement that reads the run finds out
 * whether it exists, so that such a key needs no extra statement.
 */
export type AccessibleRun = { readonly id: RunId; readonly uuid: string; readonly [checked]: 'run' }

/** The columns of a run that decide who may touch it. */
export type RunAccessRow = { readonly agent_id: string; readonly owner_id: string | null }

/** The run with this row, or the reason for the refusal in words for the caller. */
export const accessibleRun = (
  allowed: AllowedAgents,
  id: RunId,
  row: RunAccessRow,
): { run: AccessibleRun } | { refusal: string } => {
  if (!allowsAgent(allowed, row.agent_id)) return { refusal: `Run ${id} is of an agent that this key may not use` }
  if (!sees(allowed, row.owner_id)) return { refusal: `Run ${id} was created with another key or token` }
  return { run: runNamed(id, toUuid(id)) }
}

/** Any run of the organisation, for a caller that may use every agent and sees every run; null: it does not. */
export const anyRun = ({ ids, runOwner }: AllowedAgents, id: RunId): AccessibleRun | null =>
  ids === null && runOwner === null ? runNamed(id, toUuid(id)) : null

/** A run that this caller created now, for this agent. */
export const createdRun = (_agent: AccessibleAgentId, uuid: string): AccessibleRun => runNamed(runIdOf(uuid), uuid)

/** A run of a pipeline run, which is cancelled and erased with it. */
export const runOfPipeline = (uuid: string): AccessibleRun => runNamed(runIdOf(uuid), uuid)

/** A run that was accepted for this agent under the same idempotency key before; null: the caller may not see it. */
export const replayedRun = (
  caller: Pick<AgentAccess, 'runOwner'>,
  _agent: AccessibleAgentId,
  row: Pick<RunAccessRow, 'owner_id'> & { readonly id: string },
): AccessibleRun | null => (sees(caller, row.owner_id) ? runNamed(runIdOf(row.id), row.id) : null)

const runNamed = (id: RunId, uuid: string): AccessibleRun => ({ id, uuid }) as AccessibleRun
