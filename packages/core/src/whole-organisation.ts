import { runEventTypes } from '@ars/contract'
import type { Caller } from './ctx.ts'
import { Fault } from './fault.ts'

/**
 * Some things concern every agent of an organisation: its events, webhooks, policies, pipelines, members. They require access
 * to all of it, which a narrowed key, the token of a run and a demo key do not have. The contract says which operations these are.
 */
export const requireWholeOrganisation = ({ agentIds, runId, isDemo }: Restrictions): void => {
  if (runId !== null) throw new Fault('forbidden', `A token of one run ${words}`)
  if (isDemo) throw new Fault('forbidden', `A demo key ${words}`)
  if (agentIds !== null) throw new Fault('forbidden', `A key that is narrowed to some agents ${words}`)
}

/** Whether the caller sees every run. Events of runs hold their inputs and outputs. */
export const seesRuns = ({ scopes, runOwner }: RunSight): boolean => scopes.has('runs:read') && runOwner === null

export const requireRuns = (ctx: RunSight): void => {
  if (seesRuns(ctx)) return
  const why = ctx.runOwner === null ? 'This credential lacks the scope runs:read' : 'A token sees only its own runs'
  throw new Fault('forbidden', `${why}, and this holds data of runs.`)
}

export const holdsRuns = (eventType: string): boolean => eventType === '*' || runTypes.has(eventType)

const runTypes: ReadonlySet<string> = new Set(runEventTypes)

export type RunSight = Pick<Caller, 'scopes' | 'runOwner'>
type Restrictions = Pick<Caller, 'agentIds' | 'runId' | 'isDemo'>

const words = 'may not do this, because it concerns the whole organisation'
