import type { Caller } from './ctx.ts'
import { Fault } from './fault.ts'

/**
 * Events and webhooks describe everything in an organisation, so they require access to all of it. A narrowed key, a
 * run token and a demo key have no such access.
 */
export const requireWholeOrganisation = ({ agentIds, runId, isDemo }: Restrictions): void => {
  if (runId !== null) throw new Fault('forbidden', `A token of one run ${words}`)
  if (isDemo) throw new Fault('forbidden', `A demo key ${words}`)
  if (agentIds !== null) throw new Fault('forbidden', `A key that is narrowed to some agents ${words}`)
}

type Restrictions = Pick<Caller, 'agentIds' | 'runId' | 'isDemo'>

const words = 'may not use events and webhooks: they tell of the whole organisation'
