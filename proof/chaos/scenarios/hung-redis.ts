import { setTimeout as sleep } from 'node:timers/promises'
import { countsOf, percentileMs, playOpenLoop, type Shot, statusOf } from '../../lab/client/open-loop.ts'
import { shootOnce } from '../journaled-shot.ts'
import { orderOfSteps } from '../load.ts'
import type { Attempt } from '../run-client.ts'
import { type Stage, scenario } from '../scenario.ts'
import { followAll, judgeStreams, metricsOf } from './r23-streams.ts'

type Size = {
  /** How long Redis is frozen. */
  seconds: number
  perSecond: number
  streams: number
}

/** Waiting calls may take this much longer than their wait. Refusals and ended streams may take as long in all. */
const slackMs = 1_000
const waitSeconds = 5
const shortWaitSeconds = 1
const afterwardsSeconds = 2
const chunkMs = 100

/** A Redis that hangs keeps its connections: nothing fails, and no answer comes. */
export const hungRedis = scenario<Size>({
  name: 'hung-redis',
  promise:
    'A Redis that hangs holds up nobody: results come within the wait, refusals within a second, and streams open and resume.',
  sizes: {
    ci: { seconds: 6, perSecond: 20, streams: 4 },
    full: { seconds: 60, perSecond: 50, streams: 30 },
  },
  play: async (stage, size) => {
    const { fleet } = stage
    const ended = await fleet.client.carryOut(echo(stage, 'first'))
    const streams = Array.from({ length: size.streams }, (_, n) => String(n))
    const frozenMs = performance.now()
    const thaw = freezeRedis(stage)
    try {
      const events = Math.ceil((size.seconds * 1000) / chunkMs / 2)
      const following = followAll(stage, streams, { events, cuts: 2, everyMs: chunkMs })
      const thawing = sleep(size.seconds * 1000).then(thaw)
      const whole = size.seconds + afterwardsSeconds
      const shots = await playOpenLoop({ ...stage, perSecond: size.perSecond, seconds: whole }, calls(stage, ended.id))
      const [thawedMs, followed] = await Promise.all([thawing, following])
      return {
        metrics: [
          ['seconds for which Redis was frozen', ((thawedMs - frozenMs) / 1000).toFixed(1)],
          ...kinds.map(({ name }) => {
            const ofKind = shots.filter((shot) => shot.kind.name === name)
            const ms = [0.5, 0.99, 1].map((share) => percentileMs(ofKind, share)).join(', ')
            return [`${name}: answers; ms p50, p99, most`, `${countsOf(ofKind)}; ${ms}`] as const
          }),
          ...metricsOf(followed),
        ],
        claims: [
          {
            says: 'every call gets the answer that it would get with Redis',
            violations: shots
              .filter((shot) => !isRight(shot) && statusOf(shot) !== 503)
              .map((shot) => `${shot.kind.name}: ${wordsOf(shot)}`),
          },
          {
            // The database answers too late on a busy machine.
            says: 'no call is refused with 503',
            violations: shots
              .filter((shot) => statusOf(shot) === 503)
              .map((shot) => `${shot.kind.name}: ${wordsOf(shot)}`),
            isMeasured: true,
          },
          {
            says: 'a run that ends within the wait is the answer, not a promise',
            violations: shots
              .filter((shot) => shot.kind.waitSeconds === waitSeconds && statusOf(shot) === 202)
              .map(({ kind }) => kind.name),
            isMeasured: true,
          },
          {
            says: `every answer comes within its wait and ${slackMs} ms, also refusals and streams, which do not wait`,
            violations: shots
              .filter((shot) => shot.tookMs > maxMsOf(shot.kind))
              .map(({ kind, tookMs }) => `${kind.name}: ${Math.round(tookMs)} ms`),
            isMeasured: true,
          },
          ...(await judgeStreams(stage, followed, { events })),
        ],
      }
    } finally {
      thaw()
    }
  },
})

/** Answers a function that thaws it, once, and tells when. */
const freezeRedis = ({ fleet }: Stage): (() => number) => {
  const outage = fleet.supervision.noteOutage('redis', 'frozen')
  fleet.stack.redis.freeze()
  let thawedMs: number | undefined
  return () => {
    if (thawedMs !== undefined) return thawedMs
    thawedMs = performance.now()
    fleet.stack.redis.thaw()
    outage.end()
    return thawedMs
  }
}

type Kind = {
  name: string
  /** Of every ten calls. */
  share: number
  waitSeconds: number
  expects: readonly number[]
  attempt(stage: Stage, n: number, endedId: string): Omit<Attempt, 'expects'>
}

const kinds: readonly Kind[] = [
  {
    name: 'run that ends within the wait',
    share: 4,
    waitSeconds,
    expects: [200, 202],
    attempt: (stage, n) => createOf(stage, echo(stage, `echo-${n}`)),
  },
  {
    name: 'the same request again',
    share: 1,
    waitSeconds,
    expects: [200, 202],
    attempt: (stage) => createOf(stage, echo(stage, 'first')),
  },
  {
    name: 'run that outlasts the wait',
    share: 2,
    waitSeconds: shortWaitSeconds,
    expects: [202],
    attempt: (stage, n) => {
      const input = { steps: 1, delay_ms: 2_500 }
      return createOf(stage, {
        ...orderOfSteps(stage.fleet, stage.key(`slow-${n}`), { input }),
        prefer: `wait=${shortWaitSeconds}`,
      })
    },
  },
  {
    name: 'refusal of an unknown agent',
    share: 1,
    waitSeconds: 0,
    expects: [404],
    attempt: (stage, n) => {
      const order = echo(stage, `unknown-${n}`)
      return createOf(stage, { ...order, agentId: order.agentId.replace(/.{4}$/, '0000') })
    },
  },
  {
    name: 'stream of an ended run',
    share: 2,
    waitSeconds: 0,
    expects: [200],
    attempt: ({ fleet, key }, n, endedId) => ({
      what: 'watch',
      key: key(`watch-${n}`),
      call: { method: 'GET', path: `/v2/runs/${endedId}/stream`, headers: fleet.client.authorization },
    }),
  },
]

const ofTen = kinds.flatMap((kind) => Array.from({ length: kind.share }, () => kind))

type Call = Pick<Shot, 'tookMs' | 'answer'> & { kind: Kind }

const calls =
  (stage: Stage, endedId: string) =>
  async (n: number): Promise<Call> => {
    const kind = ofTen[n % ofTen.length] as Kind
    const attempt = { ...kind.attempt(stage, n, endedId), expects: kind.expects }
    // Every kind reaches both gateways.
    return { ...(await shootOnce(stage.fleet.client, Math.floor(n / ofTen.length) % 2, attempt)), kind }
  }

const echo = ({ fleet, key }: Stage, name: string) => ({
  key: key(name),
  agentId: fleet.agentId('test-echo'),
  input: { query: name },
  prefer: `wait=${waitSeconds}`,
})

const createOf = ({ fleet }: Stage, order: Parameters<Stage['fleet']['client']['toCall']>[0]) => ({
  what: 'create' as const,
  key: order.key,
  call: fleet.client.toCall(order),
})

const maxMsOf = (kind: Kind): number => kind.waitSeconds * 1000 + slackMs

const isRight = (shot: Call): boolean => {
  if (!shot.kind.expects.includes(statusOf(shot))) return false
  return shot.kind.name !== 'stream of an ended run' || (shot.answer?.text.includes('event: run.completed') ?? false)
}

const wordsOf = (shot: Call): string => `${statusOf(shot) || 'no answer'} ${shot.answer?.text.slice(0, 200) ?? ''}`
