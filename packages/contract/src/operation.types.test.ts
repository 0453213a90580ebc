import { expect, test } from 'vitest'
import { z } from 'zod'
import { AgentId, ConnectorId, MemberId, RunId, WebhookId } from './ids.ts'
import { type Handlers, operation } from './operation.ts'

test('the same mistakes are marked here, for the type check of the whole tree', () => {
  const rest = { method: 'GET', path: '/things', summary: '', status: 200, input: z.object({}), errors: [] } as const
  const get = operation({ ...rest, names: 'nothing', scope: 'runs:read', output: z.object({ n: z.int() }) })
  // @ts-expect-error An operation without a scope does not compile.
  const open = operation({ ...rest, names: 'nothing', output: z.object({}) })
  // @ts-expect-error A missing handler does not compile.
  const missing: Handlers<{ get: typeof get }, null> = {}
  // @ts-expect-error The wrong shape of an answer does not compile.
  const wrong: Handlers<{ get: typeof get }, null> = { get: () => Promise.resolve({ n: 'one' }) }
  const one = {
    ...rest,
    scope: 'agents:read',
    input: z.object({ id: AgentId }),
    output: z.object({ n: z.int() }),
  } as const
  // @ts-expect-error An operation with the id of an agent in its input does not compile without `names`.
  const unnamed = operation(one)
  const agent = operation({ ...one, names: 'agent' })
  // @ts-expect-error A handler of a named agent gets the resolved agent, and no id.
  const byId: Handlers<{ agent: typeof agent }, null, { agent: 'resolved' }>['agent'] = (_ctx, { id }) =>
    Promise.resolve({ n: String(id).length })
  const post = { ...one, method: 'POST' } as const
  // @ts-expect-error A method other than GET with the ids of runs in a list does not compile without `names`.
  const many = operation({ ...post, input: z.object({ ids: z.array(RunId).optional() }) })
  // @ts-expect-error What concerns the whole organisation does not compile with another name.
  const hook = operation({ ...post, input: z.object({ id: WebhookId }), names: 'nothing' })
  const change = { ...post, names: 'nothing' } as const
  // @ts-expect-error A change of a connector concerns every agent, because all of them may use it.
  const connector = operation({ ...change, input: z.object({ id: ConnectorId }) })
  // @ts-expect-error A change of a member concerns the whole organisation.
  const member = operation({ ...change, input: z.object({ member_id: MemberId }) })
  const seen = operation({ ...one, input: z.object({ id: ConnectorId }), names: 'nothing' })
  expect([open, missing, wrong, unnamed, byId, many, hook, connector, member, seen]).toHaveLength(10)
})
