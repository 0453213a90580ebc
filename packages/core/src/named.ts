import type { AgentId, DeploymentId, Named, Operation, RunId } from '@ars/contract'
import type { Ctx } from './ctx.ts'

/** One function per name of the contract. Each refuses what the caller may not use. */
export type Resolvers<Things extends Record<Named, unknown>> = {
  agent(ctx: Ctx, id: AgentId): Promise<Things['agent']>
  run(ctx: Ctx, id: RunId): Promise<Things['run']>
  deployment(ctx: Ctx, id: DeploymentId): Promise<Things['deployment']>
  agents(ctx: Ctx): Promise<Things['agents']>
}

/** Replaces the id in the input of an operation by the thing that it names, under the caller's access. */
export type ResolveNamed = (operation: NamingRow, ctx: Ctx, input: Input) => Promise<{ input: Input; thing?: unknown }>

type NamingRow = Pick<Operation, 'names' | 'resolvedIn'>
type Input = Readonly<Record<string, unknown>>

export const createResolve =
  <Things extends Record<Named, unknown>>(resolvers: Resolvers<Things>): ResolveNamed =>
  async ({ names, resolvedIn }, ctx, input) => {
    if (names === undefined || resolvedIn !== undefined) return { input }
    if (names === 'agents') return { input, thing: await resolvers.agents(ctx) }
    const { id, ...rest } = input
    // The contract allows a name only where the input has an id of that kind.
    return { input: rest, thing: await resolvers[names](ctx, id as never) }
  }
