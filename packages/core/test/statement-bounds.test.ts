import { pipelineRunBounds } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { testRequest } from '@ars/testkit/caller'
import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { accessBounds } from '../src/access/bounds.ts'
import { findUsableKey } from '../src/access/creator.store.ts'
import { createAgents } from '../src/agents/agent.service.ts'
import { agentsBounds } from '../src/agents/bounds.ts'
import { dropItems, refuseRest } from '../src/batches/batch-work.store.ts'
import { batchesBounds } from '../src/batches/bounds.ts'
import { coreBounds } from '../src/bounds.ts'
import { deploymentsBounds } from '../src/deployments/bounds.ts'
import { listDeploymentsOfVersion } from '../src/deployments/deployment.store.ts'
import { eventsBounds } from '../src/events/bounds.ts'
import { findPositionSince } from '../src/events/event-position.store.ts'
import { peopleBounds } from '../src/people/bounds.ts'
import { listOrganisationRows } from '../src/people/organisation.store.ts'
import { createPeople } from '../src/people/people.service.ts'
import { createResets } from '../src/people/reset.service.ts'
import { findUser, listOrganisationsOf } from '../src/people/user.store.ts'
import { pipelinesBounds } from '../src/pipelines/bounds.ts'
import { createPipelineRuns } from '../src/pipelines/run/pipeline-run.service.ts'
import { createPipelineRunView } from '../src/pipelines/run/pipeline-run-view.service.ts'
import { runsBounds } from '../src/runs/bounds.ts'
import { findFacts } from '../src/runs/read/diagnosis.store.ts'
import { countAdmitted, countRuns } from '../src/runs/read/run-count.store.ts'
import { schedulesBounds } from '../src/schedules/bounds.ts'
import { readFiring, takeStarted } from '../src/schedules/due-firing.store.ts'
import { takeDueSchedules } from '../src/schedules/due-schedule.store.ts'
import { usageBounds } from '../src/usage/bounds.ts'
import { readGroups } from '../src/usage/bucket-read.store.ts'
import { findAsOf } from '../src/usage/rollup.store.ts'
import { createUsage } from '../src/usage/usage.service.ts'
import { webhooksBounds } from '../src/webhooks/bounds.ts'
import { claimAttempts } from '../src/webhooks/deliver/endpoint-queue.store.ts'
import {
  createOldDeliveryEnd,
  deletedSweep,
  disabledSweep,
  queueRepairSweep,
} from '../src/webhooks/deliver/orphans.sweep.ts'
import { endWaiting } from '../src/webhooks/webhook/webhook-waiting.store.ts'
import { standingColumns } from '../src/work-rows.sql.ts'
import { waitOf } from '../src/work-wait.ts'
import { scriptedDatabase } from './scripted-database.ts'

const log = createLog({ level: 'silent' })
const org = '01890a5d-ac96-774b-bcce-b302099a8057'
const uuid = '01890a5d-ac96-774b-bcce-b302099a8058'
const nothing = {} as never
const locked = { id: uuid, cursor: 0 } as never

type Answers = Parameters<typeof scriptedDatabase>[0]
type Bounded = readonly [
  rows: string,
  statement: string,
  most: number,
  ask: (db: Database) => unknown,
  answers?: Answers,
]

const inTransaction = (work: (tx: Tx) => Promise<unknown>) => (db: Database) => db.transaction(org, work)

/** Rows that a statement takes, counts or names at most. What it leaves, `atBound` of its row says. */
const bounded: readonly Bounded[] = [
  [
    'accessBounds.rotations',
    'access.find_key_by_id',
    accessBounds.rotations.count,
    (db) => findUsableKey(db, org, uuid),
  ],
  [
    'batchesBounds.dropsTogether, of a cancelled batch',
    'batches.drop_items',
    batchesBounds.dropsTogether.count,
    inTransaction((tx) => dropItems(tx, org, locked)),
  ],
  [
    'batchesBounds.dropsTogether, of a batch that cannot go on',
    'batches.refuse_rest',
    batchesBounds.dropsTogether.count,
    inTransaction((tx) => refuseRest(tx, org, locked, { code: 'c', message: 'm' })),
  ],
  [
    'deploymentsBounds.deploymentsOfVersion',
    'deployments.of_version',
    deploymentsBounds.deploymentsOfVersion.count,
    (db) => listDeploymentsOfVersion(db, org, { agentId: uuid, version: 1 }),
  ],
  [
    'eventsBounds.eventsCompared',
    'events.place_since',
    eventsBounds.eventsCompared.count,
    (db) => findPositionSince(db, org, new Date(0)),
  ],
  [
    'peopleBounds.ownersTold',
    'people.list_organisations',
    peopleBounds.ownersTold.count,
    (db) => listOrganisationRows(db, null, 1),
  ],
  [
    'peopleBounds.organisationsTogether',
    'people.list_organisations',
    peopleBounds.organisationsTogether.count,
    (db) =>
      createPeople({
        auth: db,
        pubSub: { subscribe: async () => undefined },
        clock: fakeClock(),
        log,
      } as never).listOrganisations(null),
  ],
  [
    'peopleBounds.organisationsOfUser, of a person who logs in',
    'people.find_by_id',
    peopleBounds.organisationsOfUser.count,
    (db) => findUser(db, uuid),
  ],
  [
    'peopleBounds.organisationsOfUser, of a person whose password changes',
    'people.organisations_of',
    peopleBounds.organisationsOfUser.count,
    inTransaction((tx) => listOrganisationsOf(tx, uuid)),
  ],
  [
    'peopleBounds.accountsShown',
    'people.list_by_email',
    peopleBounds.accountsShown.count,
    (db) => createResets({ auth: db, newId: nothing, config: { publicUrl: '' } }).makeLinkByOperator('a@b.example'),
  ],
  [
    'pipelineRunBounds.diagnosisRuns, of runs that wait for a person',
    'pipelines.asking_runs',
    pipelineRunBounds.diagnosisRuns,
    (db) => createPipelineRunView({ app: db, actionsOfRuns: nothing }).toWire(org, activePipelineRun),
  ],
  ['runsBounds.holdersTold', 'runs.facts', runsBounds.holdersTold.count, (db) => findFacts(db, org, uuid, seesAll)],
  ['runsBounds.runsCounted, of each state', 'sweep.counts', runsBounds.runsCounted.count, countRuns],
  ['runsBounds.runsCounted, of admitted runs', 'sweep.count_admitted', runsBounds.runsCounted.count, countAdmitted],
  [
    'schedulesBounds.dueRowsCompared, of firings',
    'firings.take_started',
    schedulesBounds.dueRowsCompared.count,
    (db) => takeStarted(db, { limit: 1 }),
  ],
  [
    'schedulesBounds.dueRowsCompared, of schedules',
    'schedules.take_due',
    schedulesBounds.dueRowsCompared.count,
    (db) => takeDueSchedules(db, { limit: 1 }),
  ],
  [
    'schedulesBounds.openFiringsRead',
    'firings.read',
    schedulesBounds.openFiringsRead.count,
    (db) => readFiring(db, org, { id: uuid, claim: 1 } as never),
  ],
  [
    'usageBounds.groupsTold',
    'usage.groups',
    usageBounds.groupsTold.count,
    (db) => readGroups(db, org, { by: 'agent', part: { agentIds: null } } as never),
  ],
  [
    'usageBounds.uncountedCompared, of an organisation',
    'usage.as_of',
    usageBounds.uncountedCompared.count,
    (db) => findAsOf(db, org),
    { 'usage.as_of': () => [{ as_of: new Date(0) }] },
  ],
  [
    'usageBounds.listed',
    'usage.month_by',
    usageBounds.listed.count,
    (db) =>
      createUsage({ app: db, clock: fakeClock(), storageBytes: nothing }).get(
        testRequest(org),
        {} as never,
        {
          ids: null,
        } as never,
      ),
    {
      'usage.as_of': () => [{ as_of: new Date(0) }],
      'usage.standing': () => [{ periodStart: new Date(0), periodEnd: new Date(1) }],
    },
  ],
  [
    'webhooksBounds.queuesCompared',
    'endpoint_queues.lock',
    webhooksBounds.queuesCompared.count,
    (db) => claimAttempts(db, { count: 1, heavyCount: 1, perOrg: 1, uses: [] }),
  ],
  [
    'webhooksBounds.queuesRepaired, of disabled endpoints',
    'leftovers.disabled_lanes',
    webhooksBounds.queuesRepaired.count,
    (db) => disabledSweep({ deliveries: db, log }).run(),
  ],
  [
    'webhooksBounds.queuesRepaired, of deleted endpoints',
    'leftovers.deleted_lanes',
    webhooksBounds.queuesRepaired.count,
    (db) => deletedSweep({ deliveries: db, log }).run(),
  ],
  [
    'webhooksBounds.queuesRepaired, of wrong counts',
    'leftovers.wrong_lanes',
    webhooksBounds.queuesRepaired.count,
    (db) => queueRepairSweep({ deliveries: db, log }).run(),
  ],
  [
    'webhooksBounds.waitingEnded',
    'webhooks.end_waiting',
    webhooksBounds.waitingEnded.count,
    inTransaction((tx) => endWaiting(tx, org, { webhookId: uuid, error: 'e', which: 'all' })),
  ],
]

const seesAll = { agentIds: null, runOwner: null, runId: null }
const activePipelineRun = {
  run: { id: uuid, head_status: 'running', created_at: new Date(0), definition: { steps: [] } },
  steps: [],
} as never

test.for(bounded)('%s: the statement takes no more than the row says', async ([, name, most, ask, answers = {}]) => {
  const { db, ofName } = scriptedDatabase(answers)
  // What the rest of the answer lacks does not matter here.
  await Promise.resolve(ask(db)).catch(() => undefined)
  const statements = ofName(name)
  expect(statements).not.toEqual([])
  for (const { text, values } of statements)
    expect(values.includes(most) || new RegExp(`(?:limit|c\\.n <) ${most}\\b`).test(text)).toBe(true)
})

test('runs of an agent are counted up to agentsBounds.runsCounted, and the count says that it stopped', async () => {
  const { count } = agentsBounds.runsCounted
  const statsOf = (runs: number) => {
    const { db, ofName } = scriptedDatabase({ 'agents.count_active_runs': () => [{ status: 'queued', runs }] })
    const { stats } = createAgents({ app: db } as never)
    return stats(testRequest(org), { id: uuid } as never).then(({ is_capped }) => {
      expect(ofName('agents.count_active_runs')[0]?.values).toContain(count)
      return is_capped
    })
  }
  expect([await statsOf(count - 1), await statsOf(count)]).toEqual([false, true])
})

test('rows of a queue are counted up to coreBounds.waitingCounted, and the words say that the count stopped', () => {
  const { count } = coreBounds.waitingCounted
  const columns = standingColumns('batches', 'b', { ofAgents: 'true', perOrg: 1 })
  expect(columns.match(new RegExp(`limit ${count}\\)`, 'g'))).toHaveLength(3)
  const messageOf = (due: number) =>
    waitOf(
      { is_held: false, is_due: true, tries: 0, is_share_used: false, is_narrowed: false, in_work: 1, due },
      { maxTries: 5, things: 'batches' },
    )?.message
  expect([messageOf(count - 1), messageOf(count)]).toEqual([
    expect.stringContaining(`and ${count - 1} are due`),
    expect.stringContaining(`and ${count} or more are due`),
  ])
})

test('deliveries of endpoints that are gone end in transactions of webhooksBounds.orphansEnded, until one is not full', async () => {
  const { count } = webhooksBounds.orphansEnded
  for (const [statement, list, run] of [
    ['leftovers.end', 'leftovers.disabled_lanes', (db: Database) => disabledSweep({ deliveries: db, log }).run()],
    ['leftovers.end_old', 'leftovers.old_lanes', (db: Database) => createOldDeliveryEnd({ deliveries: db, log })(1)],
  ] as const) {
    let left = 2 * count + 1
    const { db, ofName } = scriptedDatabase({
      [list]: () => [{ webhook_id: uuid }],
      [statement]: ({ values }) => {
        expect(values).toContain(count)
        const ended = Math.min(count, left)
        left -= ended
        return [{ ended }]
      },
    })
    await run(db)
    expect([ofName(statement).length, left]).toEqual([3, 0])
  }
})

test('an erasure of a pipeline run erases its runs in pages of pipelinesBounds.erasuresTogether', async () => {
  const { count } = pipelinesBounds.erasuresTogether
  let left = 2 * count + 1
  const { db, countOf } = scriptedDatabase({
    'pipelines.unerased_runs': ({ values }) => {
      expect(values).toContain(count)
      const page = Math.min(count, left)
      left -= page
      return Array.from({ length: page }, () => ({ id: uuid }))
    },
  })
  let erased = 0
  const { erase } = createPipelineRuns({
    app: db,
    view: { find: async () => ({ run: { id: uuid, status: 'completed' }, steps: [] }) } as never,
    eraseRun: async () => void erased++,
    newId: (() => fromUuid('aud', uuid)) as never,
  } as never)
  await erase(testRequest(org), fromUuid('plr', uuid)).catch(() => undefined)
  // The events of the pipeline run itself are erased after its runs.
  expect([countOf('pipelines.unerased_runs'), erased]).toEqual([3, 2 * count + 2])
})
