import { type AgentId, type DeploymentId, type Operation, type RunId, reachesRunsOfOthers } from '@ars/contract'
import type { Ctx } from './ctx.ts'
import { requireAllRuns, requireWholeOrganisation } from './whole-organisation.ts'

/** What the resolvers answer, by the name in the contract. The other names have no thing. */
type NamedThings = { agent: unknown; run: unknown; deployment: unknown; agents: unknown }

/** Each refuses what the caller may not use. */
export type Resolvers<Things extends NamedThings> = {
  agent(ctx: Ctx, id: AgentId): Promise<Things['agent']>
  run(ctx: Ctx, id: RunId): Promise<Things['run']>
  deployment(ctx: Ctx, id: DeploymentId): Promise<Things['deployment']>
  agents(ctx: Ctx): Promise<Things['agents']>
}

/**
 * Replaces the id in the input of an operation by the thing that it names, under the caller's access. Refuses a caller
 * that lacks access to the whole organisation, where the operation needs it.
 */
export type ResolveNamed = (operation: Operation, ctx: Ctx, input: Input) => Promise<{ input: Input; thing?: unknown }>

type Input = Readonly<Record<string, unknown>>

export const createResolve =
  <Things extends NamedThings>(resolvers: Resolvers<Things>): ResolveNamed =>
  async (operation, ctx, input) => {
    const { names, by = 'id', resolvedIn } = operation
    if (names === 'organisation') requireWholeOrganisation(ctx)
    if (operation.allRuns || reachesRunsOfOthers(operation, input)) requireAllRuns(ctx)
    if (resolvedIn !== undefined || names === 'nothing' || names === 'organisation') return { input }
    if (names === 'agents') return { input, thing: await resolvers.agents(ctx) }
    const { [by]: id, ...rest } = input
    // The contract allows a name only where the input has an id of that kind.
    return { input: rest, thing: id === undefined ? null : await resolvers[names](ctx, id as never) }
  }
