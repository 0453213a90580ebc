import { expect, test } from 'vitest'
import type { AccessibleAgentId, AllowedAgents } from './agent-access.ts'
import type { AgentService } from './agents/index.ts'
import type { DeploymentService } from './deployments/deployment.service.ts'
import type { ActionService } from './runs/control/action.service.ts'
import type { CancelService } from './runs/control/cancel.service.ts'
import type { RunReader } from './runs/read/run-reader.service.ts'
import { createdRun } from './runs/run/accessible-run.ts'

// The compiler keeps these promises: `tsc` fails on a marked line that compiles. Nothing here is called.

type Services = {
  agents: AgentService
  deployments: DeploymentService
  reader: RunReader
  cancels: CancelService
  actions: ActionService
}
type Ctx = Parameters<ActionService['act']>[0]
const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'

const forgetful = ({ agents, deployments, reader, cancels, actions }: Services, ctx: Ctx) => [
  // @ts-expect-error A service takes an agent that was resolved, and not its id.
  () => agents.archive(ctx, 'ag_1'),
  // @ts-expect-error The same for a change.
  () => agents.update(ctx, { name: 'x' }, { id: 'ag_1' }),
  // @ts-expect-error A list takes the agents that the caller may use.
  () => agents.list(ctx, {}),
  // @ts-expect-error A list takes the agents that were resolved; `null` is not a way to say all.
  () => reader.list(ctx, {}, { ids: null }),
  // @ts-expect-error The agents of the key itself are not resolved either: a demo key has none in its list.
  () => deployments.list(ctx, {}, { ids: ctx.agentIds }),
  // @ts-expect-error A run is resolved before it is read.
  () => reader.get(ctx, 'run_1'),
  // @ts-expect-error And before it is cancelled.
  () => cancels.cancel(ctx, { id: 'run_1', uuid }),
  // @ts-expect-error And before it is sent an action.
  () => actions.act(ctx, { type: 'approve' }, { id: 'run_1', uuid }),
  // @ts-expect-error A deployment is resolved before it is changed.
  () => deployments.promote(ctx, 'dep_1'),
  // @ts-expect-error An accepted run is accessible because its agent is: the id of the request is no evidence.
  () => createdRun(uuid, uuid),
]

const allowed = ({ agents, reader }: Services, ctx: Ctx, agent: AccessibleAgentId, all: AllowedAgents) => [
  async () => agents.archive(ctx, await agents.get(ctx, 'ag_1')),
  () => reader.list(ctx, {}, all),
  () => reader.get(ctx, createdRun(agent, uuid)),
]

test('a service that forgets the access of a narrowed key does not compile', () => {
  const services = {} as Services
  expect(forgetful(services, {} as Ctx)).toHaveLength(10)
  expect(allowed(services, {} as Ctx, '' as AccessibleAgentId, {} as AllowedAgents)).toHaveLength(3)
})
