import { setTimeout as sleep } from 'node:timers/promises'
import { countsOf, percentileMs, playOpenLoop, type Shot, statusOf } from '../../lab/client/open-loop.ts'
import { waitFor } from '../../lab/condition.ts'
import { residentBytes } from '../../lab/measure/process-metrics.ts'
import { mostOf } from '../extent.ts'
import { shootOnce } from '../journaled-shot.ts'
import { keyField } from '../records.ts'
import type { Attempt } from '../run-client.ts'
import { isFine, toRun } from '../run-client.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  /** Multiples of the knee, in order. The first and the last are normal load. */
  steps: readonly number[]
  seconds: number
  kneeSeconds: number
  /** The transition between two load levels: calls in this time do not count for the latency of accepted calls. */
  rampSeconds: number
  /** What a process may grow by is bounded in parts of itself; with little data its own noise is larger. */
  growthSlackBytes: number
}

type Step = {
  factor: number
  creates: Shot[]
  others: Shot[]
  probes: Shot[]
  residentBytes: number
}

/**
 * The second gateway has a narrow way to its database, so its knee is far below what the machine can do: the load, the
 * parts and the one who judges share two cores, and otherwise it would be the one who asks that is overloaded.
 */
const bytesPerSecond = 25_000
const gateway = 1
/** The knee is where waiting begins: so much of what a closed loop can squeeze out. */
const kneeShare = 0.8
const kneeClients = 64
const warmUpSeconds = 2
const readsPerSecond = 4
const probesPerSecond = 10
/** Beyond what the emptiest answer of the same process takes at the same time. */
const maxRejectMs = 50
const maxRecoveryMs = 10_000
const goodInARow = 10

/** More is asked of a gateway than its database can take. */
export const overload = scenario<Size>({
  name: 'R21',
  promise:
    'Overload is shed without harm: accepted throughput stays, the rest is refused at once with Retry-After, reads and cancels keep working.',
  patienceMs: { ci: 180_000, full: 1_800_000 },
  sizes: {
    ci: { steps: [1, 4, 1], seconds: 20, kneeSeconds: 4, rampSeconds: 2, growthSlackBytes: 50 * 1_048_576 },
    full: { steps: [1, 2, 4, 8, 1], seconds: 180, kneeSeconds: 20, rampSeconds: 0, growthSlackBytes: 0 },
  },
  play: async (stage, size) => {
    const { fleet, say } = stage
    fleet.edges.set('gateway-2', { bytesPerSecond }, 'postgres')
    try {
      await closedLoop(stage, 'warm-up', warmUpSeconds)
      const knee = kneeShare * (await closedLoop(stage, 'knee', size.kneeSeconds))
      const steps: Step[] = []
      for (const [at, factor] of size.steps.entries()) {
        say(`at ${factor} times ${knee.toFixed(0)} a second`)
        steps.push(await playStep(stage, { factor, name: `step-${at}`, perSecond: knee * factor, size }))
      }
      return judgeSteps(steps, knee, size)
    } finally {
      fleet.edges.set('gateway-2', {}, 'postgres')
      await drained(stage)
    }
  },
})

const judgeSteps = (steps: readonly Step[], knee: number, size: Size) => {
  const [first, last] = [steps[0], steps.at(-1)]
  if (!first || !last) throw new Error('there is nothing to judge')
  const pressed = steps.filter(({ factor }) => factor > 1)
  const goodput = ({ creates }: Step): number => creates.filter(isAccepted).length / size.seconds
  const peak = Math.max(...steps.map(goodput))
  const atFour = steps.filter(({ factor }) => factor === 4)
  const p99 = ({ creates }: Step): number => percentileMs(afterRamp(creates, size).filter(isAccepted), 0.99)
  const usual = p99(first)
  const shed = pressed.flatMap(({ creates }) => creates.filter((shot) => !isAccepted(shot)))
  const others = steps.flatMap((step) => step.others)
  const emptiestMs = percentileMs(
    pressed.flatMap((step) => step.probes),
    0.95,
  )
  const maxGrowth = Math.max(0.1 * first.residentBytes, size.growthSlackBytes)
  const recoveredMs = recoveredAfterMs(last.creates)
  return {
    metrics: [
      ['the knee, accepted a second', knee.toFixed(0)],
      ...steps.map(
        (step, at) =>
          [
            `step ${at + 1}, ${step.factor} times the knee: accepted a second, p50 and p99 of these, answers`,
            `${goodput(step).toFixed(0)}, ${percentileMs(step.creates.filter(isAccepted), 0.5)} ms and ${p99(step)} ms, ${countsOf(step.creates)}`,
          ] as const,
      ),
      ['turned away, ms: p50, p95, p99', [0.5, 0.95, 0.99].map((share) => percentileMs(shed, share)).join(', ')],
      ['the emptiest answer meanwhile, p95, ms', emptiestMs],
      ['reads and cancels meanwhile', `${countsOf(others)}; p99 ${percentileMs(others, 0.99)} ms`],
      ['memory of the gateway, MB, step by step', steps.map((step) => megabytes(step.residentBytes)).join(', ')],
      [`ms until nine in ten were accepted again, in each of ${goodInARow} seconds`, recoveredMs],
      [
        'seconds at the knee with fewer, before and after',
        [first, last].map(({ creates }) => badSeconds(creates).length).join(', '),
      ],
      ['the generator was late by at most, ms', Math.round(mostOf(steps.flatMap(latenesses)))],
    ] as const,
    claims: [
      measured('at four times the knee requests are turned away', shed.length > 0, 'none was'),
      measured(
        'at four times the knee nine tenths of the best are accepted',
        atFour.every((step) => goodput(step) >= 0.9 * peak),
        `${atFour.map(goodput).join(', ')} a second against ${peak}`,
      ),
      measured(
        'accepted calls wait at most three times as long as usual, beyond the latency of an empty answer at that time',
        atFour.every((step) => p99(step) <= 3 * usual + emptiestMs),
        `p99 ${atFour.map(p99).join(', ')} ms against ${usual} ms`,
      ),
      {
        says: 'shed calls receive 503 and Retry-After',
        violations: [...new Set(shed.filter((shot) => !isToldToComeAgain(shot)).map((shot) => `${statusOf(shot)}`))],
      },
      measured(
        `95 in 100 of these within ${maxRejectMs} ms beyond the emptiest answer of that time`,
        percentileMs(shed, 0.95) <= maxRejectMs + emptiestMs,
        `${percentileMs(shed, 0.95)} ms`,
      ),
      claim(
        'reads and cancels succeed, 99 in 100',
        others.filter((shot) => shot.answer && isFine(shot.answer)).length >= 0.99 * others.length,
        countsOf(others),
      ),
      measured(
        `the gateway grows by at most ${megabytes(maxGrowth)} MB`,
        pressed.every((step) => step.residentBytes - first.residentBytes <= maxGrowth),
        pressed.map((step) => `${megabytes(step.residentBytes)} MB`).join(', '),
      ),
      measured(
        `${maxRecoveryMs / 1000} s later nine in ten are accepted again, in each of ${goodInARow} seconds`,
        recoveredMs <= maxRecoveryMs,
        `${recoveredMs} ms`,
      ),
      measured(
        'not vacuous: nearly all is accepted at the knee',
        first.creates.filter(isAccepted).length >= 0.9 * first.creates.length,
        countsOf(first.creates),
      ),
    ],
  }
}

const playStep = async (
  stage: Stage,
  { factor, name, perSecond, size }: { factor: number; name: string; perSecond: number; size: Size },
): Promise<Step> => {
  const { fleet, hopeless } = stage
  const { client } = fleet
  const known: string[] = []
  const pid = fleet.gateways[gateway].pid() ?? process.pid
  let mostBytes = residentBytes(pid)
  const timer = setInterval(() => {
    mostBytes = Math.max(mostBytes, residentBytes(pid))
  }, 250)
  const creating = playOpenLoop({ perSecond, seconds: size.seconds, hopeless }, async (n) => {
    const shot = await shootOnce(client, gateway, createOf(stage, `${name}-${n}`))
    const run = shot.answer && toRun(shot.answer)
    if (run) known.push(run.id)
    return shot
  })
  const others = playOpenLoop({ perSecond: readsPerSecond, seconds: size.seconds, hopeless }, async (n) => {
    await waitFor('a run to look at', () => known.length > 0, { timeoutMs: 10_000 })
    const id = known[(n * 7) % known.length] ?? ''
    const isCancel = n % readsPerSecond === 0
    const call = { method: isCancel ? 'DELETE' : 'GET', path: `/v2/runs/${id}`, headers: client.authorization } as const
    return shootOnce(client, gateway, {
      what: isCancel ? 'cancel' : 'read',
      key: stage.key(`${name}-other-${n}`),
      call,
    })
  })
  const probing = playOpenLoop({ perSecond: probesPerSecond, seconds: size.seconds, hopeless }, async () => {
    const begun = performance.now()
    const answer = (await client.gateways[gateway]?.call({ method: 'GET', path: '/livez' }).catch(() => null)) ?? null
    return { tookMs: performance.now() - begun, answer }
  })
  try {
    const [creates, read, probes] = await Promise.all([creating, others, probing])
    return { factor, creates, others: read, probes, residentBytes: mostBytes }
  } finally {
    clearInterval(timer)
  }
}

/** As many as it takes to fill every commit, each with one request after the other. */
const closedLoop = async (stage: Stage, name: string, seconds: number): Promise<number> => {
  const { client } = stage.fleet
  const untilMs = performance.now() + seconds * 1000
  let [accepted, sent] = [0, 0]
  const work = async (): Promise<void> => {
    while (performance.now() < untilMs && !stage.hopeless.aborted) {
      const { answer } = await shootOnce(client, gateway, createOf(stage, `${name}-${sent++}`))
      if (answer && isFine(answer)) accepted++
      else await sleep(100)
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: kneeClients }, work))
  return (accepted * 1000) / (performance.now() - begun)
}

const createOf = ({ fleet, key }: Stage, name: string): Attempt => {
  const order = { key: key(name), agentId: fleet.agentId('test-echo'), input: { query: name }, prefer: 'respond-async' }
  return { what: 'create', key: order.key, call: fleet.client.toCall(order), expects: [200, 202, 503] }
}

const isAccepted = (shot: Pick<Shot, 'answer'>): boolean => shot.answer !== null && isFine(shot.answer)

const isToldToComeAgain = (shot: Shot): boolean =>
  statusOf(shot) === 503 && Number(shot.answer?.headers['retry-after']) >= 1

/** Accepted work must be completed, and later checks must not wait for it. */
const drained = async ({ fleet, key }: Stage): Promise<void> => {
  const text = `select count(*)::integer as runs from run_heads h join runs r on r.id = h.run_id
    where r.metadata ->> '${keyField}' like $1 || '%'`
  await waitFor(
    'the accepted runs to end',
    async () => (await fleet.records.query<{ runs: number }>(text, [key('')]))[0]?.runs === 0,
    { timeoutMs: 60_000, everyMs: 500 },
  ).catch(() => undefined)
}

const afterRamp = (creates: readonly Shot[], { rampSeconds }: Size): Shot[] => {
  const begun = creates[0]?.atMs ?? 0
  return creates.filter(({ atMs }) => atMs - begun >= rampSeconds * 1000)
}

/**
 * The first second that ten good ones follow. What comes minutes later is no echo of the overload: bad seconds come up at
 * the knee before it too, and both are told.
 */
const recoveredAfterMs = (creates: readonly Shot[]): number => {
  const bad = badSeconds(creates)
  const followedByGood = (second: number): boolean => bad.every((each) => each < second || each >= second + goodInARow)
  return 1000 * ([0, ...bad.map((each) => each + 1)].find(followedByGood) ?? Number.POSITIVE_INFINITY)
}

/** Those in which fewer than nine in ten were accepted. */
const badSeconds = (creates: readonly Shot[]): number[] => {
  const begun = creates[0]?.atMs ?? 0
  const seconds = Map.groupBy(creates, ({ atMs }) => Math.floor((atMs - begun) / 1000))
  return [...seconds].flatMap(([second, shots]) =>
    shots.filter(isAccepted).length < 0.9 * shots.length ? [second] : [],
  )
}

const latenesses = ({ creates }: Step): number[] => creates.map(({ lateMs }) => lateMs)

const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576)
