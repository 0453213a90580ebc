import { fromUuid, toUuid } from '@ars/platform/id'
import { waitFor } from '../../lab/condition.ts'
import {
  checkNothingLeft,
  checkOneEnd,
  checkOneRunPerItem,
  checkOutput,
  checkRecordedSteps,
  type PipelineRecords,
  type StartedPipelineRun,
} from '../checks/pipelines.ts'
import { checkStoredStepsStay } from '../checks/steps.ts'
import { addCustomer, type Customer } from '../customers.ts'
import { essentialParts, planKills } from '../kill-plan.ts'
import { type PipelineClient, pipelineClient, type WirePipelineRun } from '../pipeline-client.ts'
import { chainModel, dagModel, type ModelInput, modelInput, type PipelineModel } from '../pipeline-model.ts'
import type { Records } from '../records.ts'
import { type Claim, measured, type Stage, scenario } from '../scenario.ts'
import { factsOf, type Subscription, subscribe } from '../subscription.ts'
import { carryOutKills } from './r5-crash.ts'

type Size = {
  /** Pipeline runs of graphs of 30 steps, one of them a fan-out of 20. */
  graphs: number
  /** Pipeline runs of a chain of 20 steps. */
  chains: number
  /** kill -9 of workers, gateways, the engine and Postgres. */
  kills: number
  /** How often the engine loses its disk, after the kills. */
  losses: number
  /** Between two faults at the least. */
  killsApartMs: number
}

/** The share of the work that is done before the last kill, and before the engine loses its disk. */
const killsUntil = 0.5
const lossFrom = 0.6
/** Runs that the engine executes when it loses its disk, at the least. */
const minLostRuns = 3
const startedAtOnce = 10
/** Longer than any play. The patience of the scenario ends it before. */
const maxPlayMs = 24 * 3_600_000

/** Graphs and chains advance while everything dies. What comes out is compared with a model that knows no faults. */
export const pipelines = scenario<Size>({
  name: 'pipelines',
  promise:
    'A pipeline run reaches its one end whatever is killed: each item of each step has exactly one completed run, and the output is that of an execution without faults.',
  // Otherwise a run must stand still for 15 s before the reconciler asks after it.
  serverEnv: { ARS_RECONCILE_AFTER_MS: '3000' },
  sizes: {
    ci: { graphs: 10, chains: 10, kills: 4, losses: 1, killsApartMs: 0 },
    full: { graphs: 100, chains: 100, kills: 30, losses: 1, killsApartMs: 3000 },
  },
  patienceMs: { ci: 420_000, full: 90 * 60_000 },
  play: async (stage, size) => {
    const { fleet, random, say } = stage
    const customer = await addCustomer(stage, 'pipelines', { concurrentRuns: 200 })
    const client = pipelineClient(customer.client)
    const bodies = new Map<string, Set<string>>()
    const ends = await subscribe(stage, 'pipelines', {
      client: customer.client,
      events: ['pipeline.completed'],
      onBody: (body) => note(bodies, body),
    })
    const orders = await planOrders(stage, { client, customer, size })
    const expectedItems = orders.reduce((sum, { expected }) => sum + itemsOf(expected), 0)

    const progress = watchProgress(stage, customer, orders.length)
    const starting = inParallel(orders, startedAtOnce, async ({ key, pipelineId, input, expected }) => ({
      key,
      expected,
      id: toUuid(await client.start(key, pipelineId, input)),
    }))
    // It may fail before anybody waits for it.
    starting.catch(() => undefined)
    const plan = planKills(random.fork('kills'), {
      kills: size.kills,
      ended: expectedItems,
      parts: essentialParts,
      until: killsUntil,
    })
    const killed = await carryOutKills(stage, plan, progress.closed, {
      random: random.fork('moments'),
      apartMs: size.killsApartMs,
    })
    const underWay: number[] = []
    for (let loss = 0; loss < size.losses; loss++) {
      await fleet.supervision.settle()
      underWay.push(await awaitRuns(stage, customer, () => progress.closed() / expectedItems))
      await fleet.supervision.kill('restate', { lose: () => fleet.stack.restate.wipe() })
    }
    const started = await starting
    say('all faults have happened; the rest of the work follows')
    await awaitAllEnded(stage, customer, started)
    await progress.stop()
    await fleet.supervision.settle()

    const read = await inParallel(started, startedAtOnce, ({ id }) => client.get(fromUuid('plr', id)))
    const told = await toldEnds(stage, ends, { started, bodies })
    const records = await readPipelines(stage, customer)
    const runIds = new Set(records.runs.map(({ id }) => id))
    const ledger = fleet.ledger().filter(({ run_id }) => runIds.has(run_id))
    const steps = await readRunSteps(stage, customer)
    const again = new Set(steps.filter(({ epoch }) => epoch > 1).map(({ run_id }) => run_id)).size
    return {
      metrics: [
        ['pipeline runs', `${size.graphs} graphs, ${size.chains} chains`],
        ['runs of steps', records.runs.length],
        ['kills', `${killed.length}: ${killed.toSorted().join(', ')}`],
        ['runs under way when the engine lost its disk', underWay.join(', ') || 'none'],
        ['runs submitted again under a new epoch', again],
        ['steps in the ledger', ledger.length],
        ['deliveries of pipeline.completed that came', told.posts],
        ['seconds from the first start to the last end', await secondsTaken(stage, customer)],
      ],
      claims: [
        {
          says: 'all pipeline runs end completed, with the output of the model',
          violations: started.flatMap(({ key, expected }, at) => checkOutput(key, expected, read[at] ?? nothing)),
        },
        {
          says: 'each item of each step has exactly one completed run, and a skipped step has none',
          violations: checkOneRunPerItem(started, records),
        },
        { says: 'pipeline.completed is recorded once for each', violations: checkOneEnd(started, records) },
        ...told.claims,
        { says: 'no pipeline run, wait or item is left open', violations: checkNothingLeft(records) },
        { says: 'each run took the steps of the model', violations: checkRecordedSteps(started, records, ledger) },
        {
          says: 'a step whose result was stored never ran again',
          // Runs of `test-echo` are not in the ledger.
          violations: checkStoredStepsStay(ledger, recordedOnly(steps, ledger)),
        },
        measured(
          `${size.kills} kills while steps were under way`,
          killed.length >= size.kills,
          `only ${killed.length}`,
        ),
        measured(
          'not vacuous: the engine lost runs',
          underWay.every((runs) => runs >= minLostRuns),
          underWay.join(', '),
        ),
      ],
    }
  },
})

type Order = { key: string; pipelineId: string; input: ModelInput; expected: StartedPipelineRun['expected'] }

/** Graphs of several shapes and one chain. Graphs and chains alternate. */
const planOrders = async (
  { random, key }: Stage,
  { client, customer, size }: { client: PipelineClient; customer: Customer; size: Size },
): Promise<Order[]> => {
  const shapes = Math.max(2, Math.ceil(size.graphs / 10))
  const create = async (name: string, model: PipelineModel): Promise<{ pipelineId: string; model: PipelineModel }> => {
    const definition = model.definition((agent) => customer.agentId(agent))
    return { pipelineId: await client.create(key(name), { name, definition }), model }
  }
  const graphs = await Promise.all(
    Array.from({ length: shapes }, (_, n) =>
      create(`graph-${n}`, dagModel(random.fork(`graph-${n}`), n % 2 === 0 ? 'steps' : 'echo')),
    ),
  )
  const chain = await create('chain', chainModel(random.fork('chain')))
  const orderOf = (name: string, { pipelineId, model }: (typeof graphs)[number]): Order => {
    const input = modelInput(random.fork(name))
    return { key: key(name), pipelineId, input, expected: model.expect(input) }
  }
  const orders: Order[] = []
  for (let n = 0; n < Math.max(size.graphs, size.chains); n++) {
    const graph = graphs[n % graphs.length]
    if (n < size.graphs && graph) orders.push(orderOf(`graph-run-${n}`, graph))
    if (n < size.chains) orders.push(orderOf(`chain-run-${n}`, chain))
  }
  return orders
}

const itemsOf = ({ runs }: StartedPipelineRun['expected']): number =>
  [...runs.values()].reduce((sum, { length }) => sum + length, 0)

/**
 * Asks now and then how many items are done. Postgres may be the part that is away. When all pipeline runs have ended, nobody waits for
 * more: one that fails has fewer items.
 */
const watchProgress = (
  { fleet, say, hopeless }: Stage,
  { id }: Customer,
  pipelineRuns: number,
): { closed(): number; stop(): Promise<void> } => {
  let closed = 0
  let isStopped = false
  const work = waitFor(
    'the end of the scenario',
    async () => {
      if (isStopped || hopeless.aborted) return true
      const [row] = await fleet.records.query<{ closed: number; ended: number }>(
        `select (select count(*)::integer from pipeline_items where org_id = $1 and closed_at is not null) as closed,
                (select count(*)::integer from pipeline_runs where org_id = $1 and status is not null) as ended`,
        [id],
      )
      const { closed: done = closed, ended = 0 } = row ?? {}
      closed = ended < pipelineRuns ? done : Number.POSITIVE_INFINITY
      say(`${done} items are done, ${ended} pipeline runs have ended`)
      return false
    },
    { timeoutMs: maxPlayMs, everyMs: 200 },
  )
  return {
    closed: () => closed,
    stop: async () => {
      isStopped = true
      await work
    },
  }
}

/** Waits until the engine has something to lose, and answers how many runs that are. */
const awaitRuns = ({ fleet, hopeless }: Stage, { id }: Customer, share: () => number): Promise<number> =>
  waitFor(
    'runs of steps',
    async () => {
      const [row] = await fleet.records.query<{ runs: number }>(
        `select count(*)::integer as runs from run_heads where org_id = $1 and status = 'running'`,
        [id],
      )
      const runs = row?.runs ?? 0
      const isOver = hopeless.aborted || share() === Number.POSITIVE_INFINITY
      return (share() >= lossFrom && runs >= minLostRuns) || isOver ? runs : undefined
    },
    { timeoutMs: maxPlayMs, everyMs: 20 },
  )

const awaitAllEnded = (stage: Stage, { id }: Customer, started: readonly StartedPipelineRun[]): Promise<boolean> =>
  waitFor(
    'all pipeline runs to end',
    async () => {
      stage.hopeless.throwIfAborted()
      const [row] = await stage.fleet.records.query<{ ended: number }>(
        'select count(*)::integer as ended from pipeline_runs where org_id = $1 and status is not null',
        [id],
      )
      return row?.ended === started.length
    },
    { timeoutMs: 30 * 60_000, everyMs: 200 },
  )

type Told = { data: WirePipelineRun }

const note = (bodies: Map<string, Set<string>>, body: Buffer): void => {
  const text = body.toString('utf8')
  const { data } = JSON.parse(text) as Told
  bodies.set(data.id, (bodies.get(data.id) ?? new Set()).add(text))
}

/** The deliveries of the ends. A POST may be repeated; the event may not. */
const toldEnds = async (
  stage: Stage,
  ends: Subscription,
  { started, bodies }: { started: readonly StartedPipelineRun[]; bodies: ReadonlyMap<string, ReadonlySet<string>> },
): Promise<{ posts: number; claims: Claim[] }> => {
  const { left, records, journal } = await factsOf(stage, [ends])
  await ends.pause()
  const deliveries = Map.groupBy(records.deliveries, ({ event_id }) => event_id)
  const bySubject = new Map(
    records.events.filter(({ type }) => type === 'pipeline.completed').map((event) => [event.subject_id, event.id]),
  )
  return {
    posts: journal.filter(({ kind }) => kind === 'received').length,
    claims: [
      left,
      {
        says: 'one delivery of pipeline.completed succeeds for each',
        violations: started.flatMap(({ key, id }) => {
          const made = deliveries.get(bySubject.get(id) ?? '') ?? []
          const fates = made.map(({ status }) => status).join(', ')
          return fates === 'succeeded' ? [] : [`${key}: ${fates || 'no delivery'}`]
        }),
      },
      {
        says: 'the receiver reads one body for each, with the output of the model',
        violations: started.flatMap(({ key, id, expected }) => {
          const seen = [...(bodies.get(fromUuid('plr', id)) ?? [])]
          if (seen.length !== 1) return [`${key}: ${seen.length} different bodies`]
          return seen.flatMap((text) => checkOutput(key, expected, (JSON.parse(text) as Told).data))
        }),
      },
    ],
  }
}

const readPipelines = ({ fleet }: Stage, { id }: Customer): Promise<PipelineRecords> =>
  fleet.records.snapshot(async (query) => ({
    items: await query(
      'select pipeline_run_id, step, item, attempt, run_id, outcome from pipeline_items where org_id = $1',
      [id],
    ),
    runs: await query(
      `select r.id, r.pipeline_run_id, x.status from runs r left join run_results x on x.run_id = r.id
        where r.org_id = $1 and r.pipeline_run_id is not null`,
      [id],
    ),
    ends: await query(
      `select subject_id as pipeline_run_id, id as event_id from events where org_id = $1 and type = 'pipeline.completed'`,
      [id],
    ),
    heads: await query('select pipeline_run_id from pipeline_heads where org_id = $1', [id]),
    waits: await query('select pipeline_run_id from pipeline_waits where org_id = $1', [id]),
  }))

const readRunSteps = ({ fleet }: Stage, { id }: Customer): Promise<Records['steps']> =>
  fleet.records.query(
    'select s.run_id, s.step, s.epoch, s.attempt from run_steps s join runs r on r.id = s.run_id where r.org_id = $1',
    [id],
  )

const recordedOnly = (steps: Records['steps'], ledger: readonly { run_id: string }[]): Pick<Records, 'steps'> => {
  const recorded = new Set(ledger.map(({ run_id }) => run_id))
  return { steps: steps.filter(({ run_id }) => recorded.has(run_id)) }
}

const secondsTaken = async ({ fleet }: Stage, { id }: Customer): Promise<string> => {
  const [row] = await fleet.records.query<{ seconds: number }>(
    'select extract(epoch from max(finished_at) - min(created_at))::float8 as seconds from pipeline_runs where org_id = $1',
    [id],
  )
  return (row?.seconds ?? Number.NaN).toFixed(1)
}

const nothing = { status: 'not read', output: null } as const

/** A fixed number at a time. The answers have the order of the items. */
const inParallel = async <Item, Answer>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Answer>,
): Promise<Answer[]> => {
  const waiting = [...items.entries()]
  const answers: Answer[] = []
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) answers[next[0]] = await work(next[1])
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return answers
}
