import type { Caller } from './ctx.ts'
import { Fault } from './fault.ts'

/**
 * Events and webhooks tell of everything that happens in an organisation, so they are for those who may see all of it.
 * A key that is narrowed to some agents, a token of one run and a demo key may not.
 */
export const requireWholeOrganisation = ({ agentIds, runId, isDemo }: Restrictions): void => {
  if (runId !== null) throw new Fault('forbidden', `A token of one run ${words}`)
  if (isDemo) throw new Fault('forbidden', `A demo key ${words}`)
  if (agentIds !== null) throw new Fault('forbidden', `A key that is narrowed to some agents ${words}`)
}

type Restrictions = Pick<Caller, 'agentIds' | 'runId' | 'isDemo'>

const words = 'may not use events and webhooks: they tell of the whole organisation'
