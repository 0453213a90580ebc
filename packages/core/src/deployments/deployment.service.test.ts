import { fromUuid, toUuid } from '@ars/platform/id'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  adminOf,
  canary,
  type DeploymentWorld,
  deploymentId,
  failureRule,
  newId,
  openDeploymentWorld,
} from '../../test/deployment-world.ts'
import type { Deployment } from './deployment.ts'

let world: DeploymentWorld
beforeAll(async () => {
  world = await openDeploymentWorld()
})
afterAll(() => world.close())
// Invariant: an agent has one active deployment, and its row agrees with its deployments.
afterEach(async () => expect(await world.disagreements()).toEqual([]))

const agentRow = async (agent: string) => {
  const [row] = await world.sql<Record<string, unknown>>(
    `select name, version, latest_version, live_version, live_deployment_id, canary_version, canary_deployment_id,
            canary_percent from agents where id = $1`,
    [agent],
  )
  return row
}
const history = async (agent: string) =>
  (
    await world.sql<{ line: string }>(
      `select concat_ws(' ', version, status, source) as line from deployments where agent_id = $1 order by created_at, id`,
      [agent],
    )
  ).map(({ line }) => line)
const statusOf = async ({ id }: Deployment) =>
  (await world.sql<{ status: string }>('select status from deployments where id = $1', [id]))[0]?.status
const eventsOf = (org: string) =>
  world.sql<{ type: string; subject_id: string; data: Record<string, unknown> }>(
    'select type, subject_id, data from events where org_id = $1 order by id',
    [org],
  )
const auditOf = (org: string) =>
  world.sql<{ action: string; actor_type: string; subject: string; before: unknown; after: unknown }>(
    'select action, actor_type, subject, before, after from audit_log where org_id = $1 order by number',
    [org],
  )
const activeOf = async (org: string, agent: string) => {
  const ctx = adminOf(org)
  const { data } = await world.deployments.list(ctx, { agent_id: fromUuid('ag', agent), status: ['active'] })
  return data[0]?.id ?? newId('dep')
}
const place = async () => {
  const org = await world.newOrg()
  const agent = await world.newAgent(org)
  return { org, agent, ctx: adminOf(org) }
}

describe('a release', () => {
  test('at 100 % replaces the running version', async () => {
    const { org, agent } = await place()
    const first = await world.change(org, agent)
    const second = await world.change(org, agent)
    expect(second).toMatchObject({
      version: 3,
      status: 'active',
      traffic_percent: 100,
      previous_deployment_id: first.id,
    })
    expect(await history(agent)).toEqual(['1 superseded create', '2 superseded update', '3 active update'])
    expect(await agentRow(agent)).toMatchObject({
      live_version: 3,
      live_deployment_id: second.id,
      canary_version: null,
    })
  })

  test('as a canary runs beside the active version, and a further canary replaces it', async () => {
    const { org, agent } = await place()
    const first = await world.change(org, agent, canary(10))
    expect(first).toMatchObject({ status: 'canary', traffic_percent: 10, activated_at: null })
    expect(await agentRow(agent)).toMatchObject({ version: 2, live_version: 1, canary_version: 2, canary_percent: 10 })
    const second = await world.change(org, agent, canary(20))
    expect(second.previous_deployment_id).toBe(first.previous_deployment_id)
    expect(await history(agent)).toEqual(['1 active create', '2 superseded update', '3 canary update'])
    const third = await world.change(org, agent)
    expect(third.previous_deployment_id).toBe(first.previous_deployment_id)
    expect(await history(agent)).toEqual([
      '1 superseded create',
      '2 superseded update',
      '3 superseded update',
      '4 active update',
    ])
  })

  test('of an agent without a running version gets all runs, regardless of the requested share', async () => {
    const { org, agent } = await place()
    await world.sql(`update deployments set status = 'superseded' where agent_id = $1`, [agent])
    await world.sql('update agents set live_version = null, live_deployment_id = null where id = $1', [agent])
    expect(await world.change(org, agent, canary(10))).toMatchObject({ status: 'active', traffic_percent: 100 })
  })

  test('is monitored by the service only if it has rules', async () => {
    const { org, agent } = await place()
    await world.change(org, agent, canary(10))
    const due = () => world.sql('select id from deployments where agent_id = $1 and check_at is not null', [agent])
    expect(await due()).toEqual([])
    const { id } = await world.change(org, agent, canary(10, [failureRule]))
    expect(await due()).toEqual([{ id }])
    await world.change(org, agent)
    expect(await due()).toEqual([])
  })
})

describe('promote', () => {
  test('gives a canary a larger share, then all runs; repeating it changes nothing', async () => {
    const { org, agent, ctx } = await place()
    const id = deploymentId(await world.change(org, agent, canary(10, [failureRule])))
    expect(await world.deployments.promote(ctx, id, 50)).toMatchObject({ status: 'canary', traffic_percent: 50 })
    expect(await agentRow(agent)).toMatchObject({ live_version: 1, canary_version: 2, canary_percent: 50 })
    expect(await world.deployments.promote(ctx, id, 50)).toMatchObject({ status: 'canary', traffic_percent: 50 })
    const promoted = await world.deployments.promote(ctx, id)
    expect(promoted).toMatchObject({ status: 'active', traffic_percent: 100, activated_at: expect.any(Date) })
    expect(await world.deployments.promote(ctx, id)).toEqual(promoted)
    expect(await world.deployments.promote(ctx, id, 20)).toEqual(promoted)
    expect(await agentRow(agent)).toMatchObject({
      version: 2,
      live_version: 2,
      canary_version: null,
      canary_percent: null,
    })
    expect(await history(agent)).toEqual(['1 superseded create', '2 active update'])
    expect((await auditOf(org)).map(({ action, before, after }) => [action, before, after])).toEqual([
      [
        'deployment.promoted',
        { status: 'canary', traffic_percent: 10, version: 2 },
        { status: 'canary', traffic_percent: 50, version: 2 },
      ],
      [
        'deployment.promoted',
        { status: 'canary', traffic_percent: 50, version: 2 },
        { status: 'active', traffic_percent: 100, version: 2 },
      ],
    ])
    expect(await eventsOf(org)).toEqual([])
  })

  test('is refused for a deployment that no longer gets runs', async () => {
    const { org, agent, ctx } = await place()
    const superseded = await world.change(org, agent, canary())
    const rolledBack = await world.change(org, agent, canary())
    await world.deployments.rollback(ctx, deploymentId(rolledBack), 'no good')
    for (const each of [superseded, rolledBack]) {
      const asked = world.deployments.promote(ctx, deploymentId(each))
      await expect(asked).rejects.toMatchObject({ code: 'deployment_not_open' })
    }
  })
})

describe('rollback', () => {
  test('of a canary gives the active version all runs, restores the agent, and the next change gets a new number', async () => {
    const { org, agent, ctx } = await place()
    const out = await world.change(org, agent, canary(10, [failureRule]))
    const rolledBack = await world.deployments.rollback(ctx, deploymentId(out), 'too slow')
    expect(rolledBack).toMatchObject({
      status: 'rolled_back',
      rollback_reason: 'too slow',
      rolled_back_at: expect.any(Date),
    })
    expect(await agentRow(agent)).toMatchObject({
      name: 'Version 1',
      version: 1,
      latest_version: 2,
      live_version: 1,
      canary_version: null,
    })
    expect(await eventsOf(org)).toEqual([
      {
        type: 'deployment.rollback',
        subject_id: out.id,
        data: expect.objectContaining({
          id: deploymentId(out),
          object: 'deployment',
          status: 'rolled_back',
          rollback_reason: 'too slow',
          reason: 'too slow',
        }),
      },
      {
        type: 'agent.updated',
        subject_id: agent,
        data: expect.objectContaining({ version: { old: 2, new: 1 }, changed: ['name'] }),
      },
    ])
    expect(await auditOf(org)).toMatchObject([
      {
        action: 'deployment.rolled_back',
        actor_type: 'key',
        subject: deploymentId(out),
        after: { reason: 'too slow' },
      },
    ])
    expect(await world.change(org, agent)).toMatchObject({ version: 3 })
  })

  test('of the active deployment runs the previous version again, as a new deployment', async () => {
    const { org, agent, ctx } = await place()
    const second = await world.change(org, agent)
    const open = await world.change(org, agent, canary())
    const rolledBack = await world.deployments.rollback(ctx, deploymentId(second), 'wrong answers')
    expect(rolledBack).toMatchObject({ id: second.id, status: 'rolled_back', rollback_reason: 'wrong answers' })
    expect(await history(agent)).toEqual([
      '1 superseded create',
      '2 rolled_back update',
      '3 superseded update',
      '1 active rollback',
    ])
    expect(await statusOf(open)).toBe('superseded')
    expect(await agentRow(agent)).toMatchObject({ name: 'Version 1', version: 1, latest_version: 3, live_version: 1 })
    const [told, made] = await eventsOf(org)
    expect(told).toMatchObject({
      type: 'deployment.rollback',
      subject_id: second.id,
      data: { reason: 'wrong answers', version: 2 },
    })
    expect(made).toMatchObject({
      type: 'deployment.created',
      data: {
        version: 1,
        status: 'active',
        source: 'rollback',
        previous_deployment_id: deploymentId(second),
        created_by: ctx.actor.id,
      },
    })
    expect(await auditOf(org)).toMatchObject([{ after: { deployment_id: made?.data.id } }])
  })

  test('repeated leads back through history to the first version and never to a rolled-back one', async () => {
    const { org, agent, ctx } = await place()
    await world.change(org, agent)
    const out = await world.change(org, agent, canary())
    await world.deployments.promote(ctx, deploymentId(out))
    const versions: unknown[] = []
    const back = async () => {
      await world.deployments.rollback(ctx, await activeOf(org, agent), 'further back')
      versions.push((await agentRow(agent))?.version)
    }
    await back()
    await back()
    expect(versions).toEqual([2, 1])
    await expect(back()).rejects.toMatchObject({ code: 'nothing_to_roll_back' })
    await world.change(org, agent)
    await world.change(org, agent)
    await back()
    await back()
    expect(versions).toEqual([2, 1, 4, 1])
    await expect(back()).rejects.toMatchObject({ code: 'nothing_to_roll_back' })
    const [refusedNothing] = await world.sql('select count(*)::integer as made from deployments where agent_id = $1', [
      agent,
    ])
    expect(refusedNothing).toEqual({ made: 3 + 2 + 2 + 2 })
  })

  test('never returns to a canary that never had all runs', async () => {
    const { org, agent, ctx } = await place()
    await world.change(org, agent, canary())
    const newest = await world.change(org, agent)
    await world.deployments.rollback(ctx, deploymentId(newest), 'bad')
    expect(await agentRow(agent)).toMatchObject({ version: 1, live_version: 1 })
  })

  test('is idempotent and emits no second event, even with another reason', async () => {
    const { org, agent, ctx } = await place()
    const id = deploymentId(await world.change(org, agent))
    const first = await world.deployments.rollback(ctx, id, 'bad')
    expect(await world.deployments.rollback(ctx, id, 'worse')).toEqual(first)
    expect((await eventsOf(org)).map(({ type }) => type)).toEqual([
      'deployment.rollback',
      'deployment.created',
      'agent.updated',
    ])
    expect(await auditOf(org)).toHaveLength(1)
    expect(await world.sql('select from deployments where agent_id = $1', [agent])).toHaveLength(3)
  })

  test('of a superseded deployment is refused', async () => {
    const { org, agent, ctx } = await place()
    const old = await world.change(org, agent)
    await world.change(org, agent)
    const asked = world.deployments.rollback(ctx, deploymentId(old), 'bad')
    await expect(asked).rejects.toMatchObject({ code: 'deployment_not_open' })
  })

  test('of an archived agent is refused, like promotion; a request for the current state is accepted', async () => {
    const { org, agent, ctx } = await place()
    const gone = deploymentId(await world.change(org, agent, canary()))
    await world.deployments.rollback(ctx, gone, 'bad')
    const open = deploymentId(await world.change(org, agent, canary()))
    await world.sql(`update agents set status = 'archived' where id = $1`, [agent])
    await expect(world.deployments.promote(ctx, open)).rejects.toMatchObject({ code: 'agent_archived' })
    await expect(world.deployments.rollback(ctx, open, 'bad')).rejects.toMatchObject({ code: 'agent_archived' })
    expect(await world.deployments.rollback(ctx, gone, 'bad')).toMatchObject({ status: 'rolled_back' })
    expect(await world.deployments.promote(ctx, await activeOf(org, agent))).toMatchObject({ status: 'active' })
  })
})

describe('concurrent operations', () => {
  const settled = async (work: Promise<unknown>[]) =>
    (await Promise.allSettled(work)).flatMap((each) => {
      if (each.status === 'fulfilled') return []
      const { code } = each.reason as { code?: string }
      return [code ?? String(each.reason)]
    })

  test('on one agent (changes, promotions and rollbacks) never deadlock and leave one active deployment', async () => {
    const { org, agent, ctx } = await place()
    for (let round = 0; round < 6; round++) {
      const out = deploymentId(await world.change(org, agent, canary()))
      const live = await activeOf(org, agent)
      const refused = await settled([
        world.deployments.promote(ctx, out),
        world.deployments.rollback(ctx, out, 'bad'),
        world.change(org, agent, canary()),
        world.deployments.rollback(ctx, live, 'bad'),
        world.deployments.promote(ctx, out, 40),
        world.change(org, agent),
      ])
      expect(refused.filter((code) => code !== 'deployment_not_open' && code !== 'nothing_to_roll_back')).toEqual([])
      expect(await world.disagreements()).toEqual([])
    }
  })

  test('that roll back the same canary ten times make one rollback', async () => {
    const { org, agent, ctx } = await place()
    const out = deploymentId(await world.change(org, agent, canary()))
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => world.deployments.rollback(ctx, out, `reason ${n}`)),
    )
    expect(new Set(answers.map(({ rollback_reason }) => rollback_reason)).size).toBe(1)
    expect((await eventsOf(org)).map(({ type }) => type)).toEqual(['deployment.rollback', 'agent.updated'])
  })
})

describe('access to deployments', () => {
  test('lists are newest first, filtered by agent and status, in pages', async () => {
    const { org, agent, ctx } = await place()
    const other = await world.newAgent(org)
    const second = deploymentId(await world.change(org, agent))
    const third = deploymentId(await world.change(org, agent, canary()))
    const { list } = world.deployments
    const ids = async (page: Parameters<typeof list>[1]) => (await list(ctx, page)).data.map(({ id }) => id)
    expect((await ids({})).slice(0, 2)).toEqual([third, second])
    expect(await ids({})).toHaveLength(4)
    expect(await ids({ agent_id: fromUuid('ag', other) })).toHaveLength(1)
    expect(await ids({ agent_id: fromUuid('ag', agent), status: ['canary'] })).toEqual([third])
    const first = await list(ctx, { limit: 1, agent_id: fromUuid('ag', agent) })
    expect(first).toMatchObject({ has_more: true, last_id: third })
    expect(await ids({ after: third, limit: 1 })).toEqual([second])
    expect(await ids({ before: second })).toEqual([third])
  })

  test('a deployment of another organisation is not found, one of another agent is refused, and lists omit it', async () => {
    const { org, agent, ctx } = await place()
    const id = deploymentId(await world.change(org, agent, canary()))
    const stranger = adminOf(await world.newOrg())
    const narrowed = adminOf(org, new Set([await world.newAgent(org)]))
    for (const [who, code] of [
      [stranger, 'not_found'],
      [narrowed, 'forbidden'],
    ] as const) {
      const { get, promote, rollback, list } = world.deployments
      await expect(get(who, id)).rejects.toMatchObject({ code })
      await expect(promote(who, id)).rejects.toMatchObject({ code })
      await expect(rollback(who, id, 'bad')).rejects.toMatchObject({ code })
      expect((await list(who, { agent_id: fromUuid('ag', agent) })).data).toEqual([])
      expect((await list(who, {})).data.some(({ agent_id }) => toUuid(agent_id) === agent)).toBe(false)
    }
    expect(await world.deployments.get(ctx, id)).toMatchObject({ status: 'canary' })
    await expect(world.deployments.get(ctx, newId('dep'))).rejects.toMatchObject({ code: 'not_found' })
  })
})
