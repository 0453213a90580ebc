import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import { checkStream } from '../checks/streams.ts'
import { claim, type Stage, scenario } from '../scenario.ts'
import { type Followed, type FollowOptions, followRun } from '../stream-client.ts'

type Size = {
  streams: number
  /** Concurrent streams. */
  wave: number
  events: number
  cuts: number
  /** Gateways killed over all waves. */
  kills: number
}

const chunkChars = 24
const chunkMs = 80

/** Streams that break at any byte, and gateways that die under them. */
export const streams = scenario<Size>({
  name: 'R23',
  promise: 'Streams resume without loss: no gap, no duplicate frame, one end, and the deltas equal the stored output.',
  sizes: {
    ci: { streams: 20, wave: 20, events: 50, cuts: 3, kills: 2 },
    full: { streams: 500, wave: 50, events: 200, cuts: 3, kills: 20 },
  },
  play: async (stage, size) => {
    const followed: Followed[] = []
    for (let n = 0; n < size.streams; n += size.wave) {
      const names = Array.from({ length: Math.min(size.wave, size.streams - n) }, (_, at) => String(n + at))
      const kills = Math.round((size.kills * names.length) / size.streams)
      const [wave] = await Promise.all([
        followAll(stage, names, size),
        killGateways(stage, { kills, overMs: size.events * chunkMs, name: `wave-${n}` }),
      ])
      followed.push(...wave)
      stage.say(`${followed.length} streams`)
    }
    return { metrics: metricsOf(followed), claims: await judgeStreams(stage, followed, size) }
  },
})

/** A name that comes twice is one run with two watchers: its key makes it the same. */
export const followAll = async (
  stage: Stage,
  names: readonly string[],
  {
    events,
    cuts,
    everyMs = chunkMs,
    ...more
  }: Pick<Size, 'events' | 'cuts'> & { everyMs?: number } & Pick<FollowOptions, 'isPatient' | 'onFrame'>,
): Promise<Followed[]> => {
  const { fleet, random, hopeless } = stage
  // A frame is its chunk and about 150 bytes around it; the cuts fall anywhere in the whole stream.
  const wholeBytes = events * (chunkChars + 150)
  return Promise.all(
    names.map((name, at) => {
      const dice = random.fork(`stream-${name}-${at}`)
      return followRun({
        client: fleet.client,
        journal: fleet.journal,
        random: dice,
        hopeless,
        ...more,
        order: {
          key: stage.key(`stream-${name}`),
          agentId: fleet.agentId('test-stream'),
          input: { chunks: events, chunk_chars: chunkChars, delay_ms: everyMs },
          prefer: '',
          timeoutSeconds: Math.ceil((events * everyMs) / 1000) + 600,
        },
        cutAfterBytes: Array.from({ length: cuts }, () => dice.whole(0, Math.floor(wholeBytes / (cuts + 1)))),
      })
    }),
  )
}

export const metricsOf = (followed: readonly Followed[]) => {
  const sum = (count: (each: Followed) => number): number => followed.reduce((total, each) => total + count(each), 0)
  return [
    ['streams', followed.length],
    ['connections', sum(({ connections }) => connections)],
    ['connections that we cut', sum(({ cuts }) => cuts)],
    ['connections that broke otherwise', sum(({ breaks }) => breaks)],
    ['frames', sum(({ frames }) => frames.length)],
    ['resets', sum(({ frames }) => frames.filter(({ event }) => event === 'run.output.reset').length)],
  ] as const
}

export const judgeStreams = async (
  { fleet }: Stage,
  followed: readonly Followed[],
  { events }: Pick<Size, 'events'>,
) => {
  const stored = await fleet.records.query<{ run_id: string; status: string; result: string | null }>(
    `select run_id, status, output ->> 'result' as result from run_results where run_id = any ($1)`,
    [followed.map(({ runId }) => toUuid(runId))],
  )
  const results = new Map(stored.map(({ run_id, ...rest }) => [run_id, rest]))
  const [one] = followed
  return [
    {
      says: 'no gap, no frame twice, one end, deltas equal the stored output',
      violations: followed.flatMap(({ key, runId, frames }) => {
        const { status, result } = results.get(toUuid(runId)) ?? { status: 'unknown', result: '' }
        return checkStream({ name: key, frames, status, result: result ?? '' })
      }),
    },
    {
      says: 'every run completes, with a delta for each piece or fewer',
      violations: followed
        .filter(({ runId, frames }) => results.get(toUuid(runId))?.status !== 'completed' || frames.length < 5)
        .map(
          ({ key, runId, frames }) =>
            `${key}: ${results.get(toUuid(runId))?.status}, ${frames.length} frames of ${events}`,
        ),
    },
    claim(
      'the headers are those of a stream that no proxy holds up',
      one?.headers['content-type'] === 'text/event-stream' &&
        one.headers['cache-control'] === 'no-cache, no-transform' &&
        one.headers['x-accel-buffering'] === 'no' &&
        one.headers['content-encoding'] === undefined,
      JSON.stringify(one?.headers),
    ),
  ]
}

const killGateways = async (
  { fleet, random }: Stage,
  { kills, overMs, name }: { kills: number; overMs: number; name: string },
): Promise<void> => {
  const dice = random.fork(`kills-${name}`)
  for (let n = 0; n < kills; n++) {
    await sleep(dice.whole(300, Math.max(400, overMs / Math.max(1, kills))))
    const up = fleet.gateways.filter((gateway) => fleet.supervision.isUp(gateway.name))
    // One of the two is left, as in any fleet that deserves the name.
    if (up.length === 2) await fleet.supervision.kill(dice.pick(up).name)
  }
}
