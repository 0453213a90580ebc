import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { plantAgent } from '../../lab/stack/organisation.ts'
import { addCustomer, type Customer } from '../customers.ts'
import { awaitDeliveries } from '../delivery-records.ts'
import { forbiddenScript, markerOf, patternOf, permittedScript } from '../marked-speech.ts'
import { monitorRedis, type Sight, searchFiles, searchTables, sightOf } from '../marker-search.ts'
import { policyClient, type WireRule } from '../policy-client.ts'
import { type HeardRun, hasEnded, type RunOrder } from '../run-client.ts'
import { type Claim, claim, type Metric, measured, type Stage, scenario } from '../scenario.ts'
import { subscribe } from '../subscription.ts'
import { watchAtEveryFrame } from '../watch-frames.ts'

type Size = {
  cases: number
  /** Cases without a policy. Their markers must be found. */
  controls: number
  /** Under way at the same time. */
  atOnce: number
  /** kill -9 of a worker or of a gateway. */
  kills: number
  /** A client leaves its stream after each of the first frames, and resumes. */
  cuts: number
}

/** One way to forbid the marker. The mode of its stream is what the rules make of it. */
type Variant = { name: string; action: WireRule['action']; rules: readonly Omit<WireRule, 'stages' | 'action'>[] }

const maxDeliverMs = 120_000

/** A model says what a policy forbids, in any pieces, while servers die. Nobody may see a letter of it. */
export const forbiddenText = scenario<Size>({
  name: 'forbidden-text',
  promise:
    'Text that a policy forbids is seen nowhere: not in streams, tables, deliveries, logs, Redis or the engine, however it is cut and whatever is killed.',
  sizes: {
    ci: { cases: 56, controls: 4, atOnce: 14, kills: 4, cuts: 4 },
    full: { cases: 10_000, controls: 20, atOnce: 40, kills: 200, cuts: 8 },
  },
  patienceMs: { ci: 180_000, full: 3 * 3_600_000 },
  play: async (stage, size) => {
    const { fleet } = stage
    const customer = await addCustomer(stage, 'guarded')
    const scripts = [forbiddenScript, permittedScript]
    const sights = { feed: sightOf(scripts), deliveries: sightOf(scripts), redis: sightOf(scripts) }
    const hook = await fleet.receiver.serve(judgeText)
    const agents = await plantVariants(stage, customer, hook)
    const ends = await subscribe(stage, 'ends', {
      client: customer.client,
      events: ['run.completed', 'run.failed', 'run.requires_action'],
      onBody: (body) => sights.deliveries.see(body.toString('utf8')),
    })
    const monitor = await monitorRedis(fleet.stack, sights.redis)
    // The messages of the service are sealed, so the control is a message of ours.
    await monitor.plant(markerOf(permittedScript, 'a message'))
    const cases = Array.from({ length: size.cases }, (_, n) => planCase(stage, agents.forbidden, n))
    const controls = Array.from({ length: size.controls }, (_, n) => ({
      ...planCase(stage, [agents.permitted], n),
      key: stage.key(`control-${n}`),
    }))
    const ended: Played[] = []
    const playing = inParallel([...controls, ...cases], size.atOnce, async (each) => {
      ended.push(await playCase(stage, customer, each, { cuts: size.cuts, feed: sights.feed }))
      stage.say(`${ended.length} of ${size.cases + size.controls} cases`)
    })
    const killed = await killServers(stage, { kills: size.kills, share: () => ended.length / size.cases, playing })
    await playing
    await fleet.supervision.settle()
    // Half of the held texts are still held while the search is made: they must be sealed.
    const held = ended.filter(({ run }) => run.status === 'requires_action')
    const half = Math.ceil(held.length / 2)
    await rejectAll(customer, held.slice(0, half), sights.feed)
    const violations = await awaitDeliveries(fleet.records, {
      webhooks: [ends.uuid],
      timeoutMs: maxDeliverMs,
      hopeless: stage.hopeless,
    })
    writeFileSync(join(fleet.stack.dir, 'servers', 'control.log'), `${markerOf(permittedScript, 'a file')}\n`)
    const searched = await searchStack(stage)
    await rejectAll(customer, held.slice(half), sights.feed)
    const wasWatched = monitor.isOpen
    monitor.close()
    await ends.pause()
    return {
      metrics: metricsOf({ ended, killed, sights, searched }),
      claims: [
        ...unseen(sights, searched),
        ...controlsSeen(sights, searched),
        { says: 'every delivery ends', violations },
        claim('Redis was watched until the end', wasWatched, 'the connection of the monitor was lost'),
        measured(
          'nine in ten checks could be made in time',
          ended.filter(({ run }) => isUnmade(run)).length <= ended.length / 10,
          `${ended.filter(({ run }) => isUnmade(run)).length} runs were stopped because a check was not made`,
        ),
        {
          says: 'each run ends as the action of its rule says, or is stopped because a check could not be made',
          violations: ended.flatMap(({ key, variant, run }) =>
            wrongEnd(variant, run).map((words) => `${key}: ${words}`),
          ),
        },
        // A server is killed only while the others of its kind are up, so their starts limit the number.
        measured(
          'three in four of the planned kills came while runs were under way',
          killed.length >= 0.75 * size.kills,
          `only ${killed.length} of ${size.kills}`,
        ),
      ],
    }
  },
})

const marked = { id: 'marker', check: 'regex', params: { pattern: patternOf(forbiddenScript), case_sensitive: true, max_match_chars: 12 } } // biome-ignore format: one rule
const whole = { id: 'length', check: 'max_length', params: { chars: 1_000_000 } }

/** The remote rule asks a program of the customer, which forbids or replaces the marker. */
const variantsOf = (hook: string): readonly Variant[] => {
  const remote = { id: 'hook', check: 'http', params: { url: hook, time_limit_ms: 10_000 } }
  return [
    { name: 'window-block', action: 'block', rules: [marked] },
    { name: 'window-redact', action: 'redact', rules: [marked] },
    { name: 'chunk-block', action: 'block', rules: [remote] },
    { name: 'chunk-redact', action: 'redact', rules: [remote] },
    { name: 'whole-block', action: 'block', rules: [marked, whole] },
    { name: 'whole-redact', action: 'redact', rules: [marked, whole] },
    { name: 'whole-ask', action: 'require_approval', rules: [marked] },
  ]
}

type Agent = { variant: string; agentId: string }

/** An agent for each way, with its policy, and one without any. */
const plantVariants = async (
  { fleet, key }: Stage,
  customer: Customer,
  hook: string,
): Promise<{ forbidden: Agent[]; permitted: Agent }> => {
  const policies = policyClient(customer.client)
  const plant = (name: string, model: string): Promise<string> =>
    plantAgent(fleet.records, customer, { name, config: { model: `fake/${model}`, instructions: 'Talk.' } })
  const forbidden: Agent[] = []
  for (const { name, action, rules } of variantsOf(hook)) {
    const agentId = await plant(name, 'forbidden')
    const policyId = await policies.create(key(`policy-${name}`), {
      name,
      // A length cannot be replaced.
      rules: rules.map((rule) => ({ ...rule, stages: ['output'], action: rule.id === 'length' ? 'block' : action })),
    })
    await policies.attach(key(`attach-${name}`), policyId, agentId)
    forbidden.push({ variant: name, agentId })
  }
  return { forbidden, permitted: { variant: 'control', agentId: await plant('control', 'permitted') } }
}

/** In the manner of the generic guardrail API. */
const judgeText = async (body: Buffer): Promise<object> => {
  const { texts } = JSON.parse(body.toString('utf8')) as { texts: string[] }
  const [text = ''] = texts
  const pattern = new RegExp(patternOf(forbiddenScript), 'gu')
  const replaced = text.replaceAll(pattern, '[GONE]')
  return replaced === text ? { action: 'NONE' } : { action: 'GUARDRAIL_INTERVENED', texts: [replaced] }
}

type Case = Agent & { key: string }
type Played = Case & { run: HeardRun; frames: number; connections: number }

const planCase = ({ key }: Stage, agents: readonly Agent[], n: number): Case => {
  const agent = agents[n % agents.length]
  if (!agent) throw new Error('there is no agent')
  return { ...agent, key: key(n) }
}

const playCase = async (
  { random, hopeless }: Stage,
  { client }: Customer,
  each: Case,
  { cuts, feed }: { cuts: number; feed: Sight },
): Promise<Played> => {
  const { key, agentId } = each
  const order: RunOrder = { key, agentId, input: { query: `chaos:${key}` }, prefer: 'respond-async' }
  const { id } = await client.accept(order)
  const watched = await watchAtEveryFrame({
    client,
    runId: id,
    cuts,
    hopeless,
    random: random.fork(key),
    onText: feed.see,
  })
  const run = await client.awaitEnd(order, id, (heard) => hasEnded(heard) || heard.status === 'requires_action')
  feed.see(run.text)
  return { ...each, run, ...watched }
}

/** Rules fail closed. */
const isUnmade = ({ status, error, text }: HeardRun): boolean =>
  status === 'failed' && error?.code === 'guardrail_blocked' && text.includes('could not be made')

/** What contradicts the action of the rule. */
const wrongEnd = (variant: string, run: HeardRun): string[] => {
  const { status, error, text } = run
  if (variant !== 'control' && isUnmade(run)) return []
  if (variant.endsWith('block') && status === 'failed' && error?.code === 'guardrail_blocked') return []
  if (variant.endsWith('redact') && status === 'completed' && /\[(?:PATTERN|REDACTED)_\d+\]/.test(text)) return []
  if (variant.endsWith('ask') && status === 'requires_action') return []
  if (variant === 'control' && status === 'completed') return []
  return [`${variant} ended ${status} ${error?.code ?? ''} ${text.slice(0, 200)}`]
}

const rejectAll = ({ client }: Customer, held: readonly Played[], feed: Sight): Promise<void> =>
  inParallel(held, 10, async ({ key, run }) => {
    const headers = { ...client.authorization, 'idempotency-key': `${key}/reject` }
    const call = { method: 'POST', path: `/v2/runs/${run.id}/action`, headers, body: { type: 'reject' } } as const
    await client.insist({ what: 'act', key, call })
    feed.see((await client.awaitEnd({ key }, run.id)).text)
  })

const inParallel = async <Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const waiting = [...items]
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** The last kill is due when this share of the cases has ended, so that a quick computer does not end them before it. */
const lastKillShare = 0.6

/** Spread over the cases; workers and gateways in turn. One of each is always left. */
const killServers = async (
  { fleet, random, hopeless }: Stage,
  { kills, share, playing }: { kills: number; share(): number; playing: Promise<unknown> },
): Promise<string[]> => {
  const { supervision } = fleet
  const dice = random.fork('kills')
  const killed: string[] = []
  let isOver = false
  void playing.finally(() => (isOver = true)).catch(() => undefined)
  while (killed.length < kills && !isOver) {
    const servers = killed.length % 2 === 0 ? fleet.workers : fleet.gateways
    const isDue =
      share() >= (lastKillShare * killed.length) / kills && servers.every(({ name }) => supervision.isUp(name))
    hopeless.throwIfAborted()
    if (!isDue) {
      await sleep(20)
      continue
    }
    await sleep(dice.whole(0, 400))
    const { name } = dice.pick(servers)
    if (!supervision.isUp(name)) continue
    await supervision.kill(name)
    killed.push(name)
  }
  return killed
}

type Searched = Awaited<ReturnType<typeof searchStack>>

const searchStack = async ({ fleet: { stack } }: Stage) => ({
  tables: await searchTables(stack, forbiddenScript),
  files: await searchFiles(stack.dir, forbiddenScript),
  controlTables: await searchTables(stack, permittedScript),
  controlFiles: await searchFiles(join(stack.dir, 'servers'), permittedScript),
})

type Sights = { feed: Sight; deliveries: Sight; redis: Sight }

const unseen = (sights: Sights, { tables, files }: Searched): Claim[] => [
  ...Object.entries(sights).map(([place, { found }]) => ({
    says: `no letter of a forbidden text in ${places[place as keyof Sights]}`,
    violations: found.forbidden ?? [],
  })),
  { says: 'no letter of a forbidden text in any table', violations: tables.found },
  { says: 'no forbidden text in any log, in the files of the engine or of the database', violations: files.found },
]

const places: Readonly<Record<keyof Sights, string>> = {
  feed: 'what clients read',
  deliveries: 'deliveries',
  redis: 'commands of Redis',
}

const controlsSeen = (sights: Sights, { controlTables, controlFiles }: Searched): Claim[] => [
  ...Object.entries(sights).map(([place, { found }]) =>
    claim(
      `the search finds permitted markers in ${places[place as keyof Sights]}`,
      (found.permitted?.length ?? 0) > 0,
      'it found none',
    ),
  ),
  claim('the search finds permitted markers in tables', controlTables.found.length > 0, 'it found none'),
  claim('the search finds a permitted marker in a file', controlFiles.found.length > 0, 'it found none'),
]

const metricsOf = ({
  ended,
  killed,
  sights,
  searched,
}: {
  ended: readonly Played[]
  killed: readonly string[]
  sights: Sights
  searched: Searched
}): Metric[] => {
  const sum = (count: (each: Played) => number): number => ended.reduce((total, each) => total + count(each), 0)
  const counted = (names: readonly string[]): string =>
    [...Map.groupBy(names, (name) => name)]
      .map(([name, { length }]) => `${name} ${length}`)
      .toSorted()
      .join(', ')
  return [
    ['cases', counted(ended.map(({ variant }) => variant))],
    ['kills', `${killed.length}: ${counted(killed)}`],
    ['frames that clients read', sum(({ frames }) => frames)],
    ['connections, each resumed with Last-Event-ID', sum(({ connections }) => connections)],
    [
      'characters searched: clients, deliveries, Redis',
      Object.values(sights)
        .map(({ chars }) => chars)
        .join(', '),
    ],
    ['tables searched', searched.tables.tables],
    ['files searched; MB', `${searched.files.files}; ${Math.round(searched.files.bytes / 1e6)}`],
    ['tables with permitted markers', searched.controlTables.found.join(', ')],
  ]
}
