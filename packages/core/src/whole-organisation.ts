import { duties, type Operation, runEventTypes, type StoredScope, storedFacts } from '@ars/contract'
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

/** A demo key, and a short-lived token without a run, see only the runs that they created. */
export const requireAllRuns = ({ runOwner }: Pick<RunSight, 'runOwner'>): void => {
  if (runOwner === null) return
  throw new Fault(
    'forbidden',
    'A credential that sees only its own runs cannot do this, because it concerns runs of others',
  )
}

/**
 * Refuses a caller that lacks what the operation requires where the stored thing is of this kind. The service knows the kind,
 * and the contract says what it requires. `instead`: what the caller can do.
 */
export const requireStored = <O extends { readonly storedScopes: readonly StoredScope[] }>(
  ctx: RunSight,
  operation: O,
  fact: O['storedScopes'][number]['when'],
  instead = '',
): void => {
  for (const { scope, when } of operation.storedScopes) {
    if (when !== fact) continue
    if (!ctx.scopes.has(scope))
      throw new Fault(
        'forbidden',
        `This credential lacks the scope ${scope}, because ${storedFacts[when]}. ${instead}`.trim(),
      )
    if (scope === 'runs:read') requireAllRuns(ctx)
  }
}

/** Refuses a key that did, or comes from one that did, what the contract keeps apart from the operation. */
export const requireSeparate = async (
  { separateFrom }: Pick<Operation, 'separateFrom'>,
  hasDone: () => Promise<boolean>,
): Promise<void> => {
  if (separateFrom === undefined || !(await hasDone())) return
  const message = `This key, or the key that it comes from, ${duties[separateFrom]}. Use another key, or a browser session.`
  throw new Fault('forbidden', message)
}

export const holdsRuns = (eventType: string): boolean => eventType === '*' || runTypes.has(eventType)

const runTypes: ReadonlySet<string> = new Set(runEventTypes)

export type RunSight = Pick<Caller, 'scopes' | 'runOwner'>
type Restrictions = Pick<Caller, 'agentIds' | 'runId' | 'isDemo'>

const words = 'may not do this, because it concerns the whole organisation'
