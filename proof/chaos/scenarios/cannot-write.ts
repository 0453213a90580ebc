import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { playOpenLoop, type Shot, statusOf } from '../../lab/client/open-loop.ts'
import { waitFor } from '../../lab/condition.ts'
import { shootOnce } from '../journaled-shot.ts'
import { type Claim, claim, measured, type Outcome, type Stage } from '../scenario.ts'

type Outage = {
  /** The reason that refusals give. */
  reason: string
  /** What `/readyz` and `doctor` say. */
  unready: RegExp
  advice: RegExp
  perSecond: number
  /** How long nothing can be written. */
  seconds: number
  /** Ends when writes fail. Answers the cure. */
  begin(create: (n: number) => Promise<string>): Promise<() => Promise<void>>
}

const cureSeconds = 5
const afterwardsSeconds = 10
const lookEveryMs = 250

/** Postgres takes reads and no writes: what callers, probes, metrics and `doctor` say meanwhile, and how long the return takes. */
export const playUnwritable = async (stage: Stage, outage: Outage): Promise<Outcome> => {
  const { fleet, hopeless, say } = stage
  const { gateways, workers, supervision } = fleet
  const servers = [gateways[0], workers[0]]
  const before = await fleet.client.carryOut(orderOf(stage, 'before'))
  const pids = () => [...gateways, ...workers].map((each) => each.pid()).join()
  const pidsBefore = pids()
  const create = async (n: number) => shootOnce(fleet.client, n % 2, attemptOf(stage, `create-${n}`))
  let unused = 0
  const cure = await outage.begin(async () => reasonOf(await create(1_000_000 + unused++)))
  const noted = supervision.noteOutage('postgres', 'cannot write')
  const begunMs = performance.now()
  say('nothing can be written')
  let curedMs = Number.POSITIVE_INFINITY
  const looks: Look[] = []
  const looking = (async () => {
    while (performance.now() < curedMs) {
      looks.push(...(await Promise.all(servers.map(lookAt))))
      await sleep(lookEveryMs)
    }
  })()
  const examining = fleet.stack.command(['doctor']).catch(String)
  const reading = readDuring(stage, outage.seconds)
  const curing = sleep(outage.seconds * 1000).then(async () => {
    await examining
    await cure()
    curedMs = performance.now()
    noted.end()
    return untilServing(stage, servers)
  })
  const shots = await playOpenLoop(
    { perSecond: outage.perSecond, seconds: outage.seconds + afterwardsSeconds, hopeless },
    create,
  )
  const [doctor, reads, returnMs] = await Promise.all([examining, reading, curing, looking])
  const during = shots.filter(({ atMs, tookMs }) => atMs > begunMs && atMs + tookMs < curedMs)
  const refused = shots.filter((shot) => statusOf(shot) === 503)
  const settled = looks.filter(({ atMs }) => atMs > begunMs + cureSeconds * 1000)
  return {
    metrics: [
      ['seconds without writes', ((curedMs - begunMs) / 1000).toFixed(1)],
      ['creates meanwhile, by answer', countsOf(during)],
      ['creates in all, by answer', countsOf(shots)],
      [
        'reads meanwhile, by status',
        [...Map.groupBy(reads, (status) => status)].map(([s, all]) => `${s}: ${all.length}`).join(', '),
      ],
      [
        '/readyz of the gateway and the worker',
        [...new Set(looks.map(({ name, ready }) => `${name}: ${ready}`))].join('; '),
      ],
      ['ms from the cure until a run completed and both were ready', Math.round(returnMs)],
      ['doctor', adviceIn(doctor, outage.advice)],
    ],
    claims: [
      claim('not vacuous: calls were refused', refused.length >= 10, `${refused.length} refusals`),
      {
        says: 'every refusal is a 503 that names its reason',
        violations: shots.filter((shot) => !isServed(shot) && reasonOf(shot) === '').map(wordsOf),
      },
      {
        says: `the reason is ${outage.reason}`,
        violations: refused.filter((shot) => reasonOf(shot) !== outage.reason).map(wordsOf),
        isMeasured: true,
      },
      {
        says: 'reads are answered meanwhile',
        violations: reads.filter((status) => status !== 200).map((status) => `status ${status}`),
        isMeasured: true,
      },
      measured(
        `/readyz of the gateway and the worker gives the reason ${cureSeconds} s later, and until the cure`,
        settled.length > 0 && settled.every(({ ready }) => outage.unready.test(ready)),
        [...new Set(settled.map(({ name, ready }) => `${name}: ${ready}`))].join('; ') || 'no look',
      ),
      measured(
        'the metric of the alert ArsDatabaseCannotWrite says so',
        settled.length > 0 && settled.every(({ isWritable }) => !isWritable),
        `${settled.filter(({ isWritable }) => isWritable).length} of ${settled.length} scrapes say that it can be written`,
      ),
      claim('doctor names it and says what to do', outage.advice.test(doctor), doctor.slice(0, 2_000)),
      claim('no process was replaced', pids() === pidsBefore, `${pidsBefore} became ${pids()}`),
      measured(
        `${cureSeconds} s after the cure a run completes, and the processes are ready`,
        returnMs <= cureSeconds * 1000,
        `${Math.round(returnMs)} ms`,
      ),
      await stillThere(stage, before.id),
    ],
  }
}

/** Large inputs use up the rest of a full disk. */
const orderOf = ({ fleet, key }: Stage, name: string) => ({
  key: key(name),
  agentId: fleet.agentId('test-echo'),
  input: { query: randomBytes(12_000).toString('base64') },
  prefer: 'wait=5',
})

const attemptOf = (stage: Stage, name: string) => {
  const order = orderOf(stage, name)
  return { what: 'create' as const, key: order.key, call: stage.fleet.client.toCall(order), expects: [200, 202, 503] }
}

type Server = Stage['fleet']['gateways'][number]
type Look = { name: string; atMs: number; ready: string; isWritable: boolean }

const lookAt = async ({ name, metricsUrl }: Server): Promise<Look> => {
  const atMs = performance.now()
  const [ready, metrics] = await Promise.all(
    ['readyz', 'metrics'].map(async (path) => {
      const answer = await fetch(`${metricsUrl}/${path}`, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
      return answer === null
        ? 'no answer'
        : `${path === 'readyz' ? `${answer.status} ` : ''}${(await answer.text()).trim()}`
    }),
  )
  return { name, atMs, ready: ready ?? '', isWritable: !/^ars_database_writable\{[^}]*\} 0$/m.test(metrics ?? '') }
}

const readDuring = async ({ fleet }: Stage, seconds: number): Promise<number[]> => {
  const statuses: number[] = []
  for (const untilMs = performance.now() + seconds * 1000; performance.now() < untilMs; await sleep(500)) {
    const answer = await fleet.client.attempt(0, {
      what: 'list',
      key: 'reads',
      call: { method: 'GET', path: '/v2/runs?limit=1&view=summary', headers: fleet.client.authorization },
    })
    statuses.push(answer?.status ?? 0)
  }
  return statuses
}

/** Milliseconds until a run completes and the servers are ready. */
const untilServing = async (stage: Stage, servers: readonly Server[]): Promise<number> => {
  const fromMs = performance.now()
  let tries = 0
  await waitFor(
    'a run that completes after the cure',
    async () => statusOf(await shootOnce(stage.fleet.client, 0, attemptOf(stage, `after-${tries++}`))) === 200,
    { timeoutMs: 60_000, everyMs: 100 },
  )
  await waitFor(
    'servers that are ready after the cure',
    async () => (await Promise.all(servers.map(lookAt))).every(({ ready }) => ready.startsWith('200')),
    { timeoutMs: 60_000, everyMs: 100 },
  )
  return performance.now() - fromMs
}

const stillThere = async ({ fleet }: Stage, id: string): Promise<Claim> => {
  const call = { method: 'GET' as const, path: `/v2/runs/${id}`, headers: fleet.client.authorization }
  const answer = await fleet.client.attempt(0, { what: 'read', key: 'before', call })
  return claim('a run from before is still there', answer?.status === 200, `status ${answer?.status}`)
}

const isServed = (shot: Pick<Shot, 'answer'>): boolean => [200, 202].includes(statusOf(shot))

const reasonOf = ({ answer }: Pick<Shot, 'answer'>): string => {
  if (answer?.status !== 503) return ''
  try {
    return (JSON.parse(answer.text) as { error: { reason: string | null } }).error.reason ?? ''
  } catch {
    return ''
  }
}

const wordsOf = (shot: Pick<Shot, 'answer'>): string =>
  `${statusOf(shot) || 'no answer'} ${shot.answer?.text.slice(0, 200) ?? ''}`

const countsOf = (shots: readonly Pick<Shot, 'answer'>[]): string =>
  [...Map.groupBy(shots, (shot) => `${statusOf(shot) || 'none'} ${reasonOf(shot)}`.trim())]
    .map(([what, { length }]) => `${what}: ${length}`)
    .toSorted()
    .join(', ')

const adviceIn = (printed: string, advice: RegExp): string =>
  printed
    .split('\n')
    .find((line) => advice.test(line))
    ?.trim() ?? 'nothing'
