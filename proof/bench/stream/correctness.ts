import { toUuid } from '@ars/platform/id'
import pg from 'pg'
import { bareRunId, type StreamOutcome, type StreamSide } from './protocol.ts'

/** What became of every stream of a side. A fast side that loses a frame scores nothing. */
export type StreamCorrectness = {
  streams: number
  runs: number
  frames: number
  gaps: number
  duplicates: number
  /** Streams that did not begin with frame 1. */
  lateBegins: number
  /** Streams that broke, or that were not ended by the end of the run. */
  withoutEnd: number
  /** Streams that have another last number, or another number of pieces, than the run itself. */
  unlikeTheRun: number
  isRight: boolean
}

type RunFacts = {
  lastId: number
  deltas: number
}

/** What the service's streams must have been given is read from the database, as superuser. */
export const checkStreams = async (
  url: string,
  streams: number,
  outcomes: Record<StreamSide, readonly StreamOutcome[]>,
  bareLastIds: readonly number[],
): Promise<Record<StreamSide, StreamCorrectness>> => {
  const stored = await readRuns(url, new Set(outcomes.service.map(({ run }) => run)))
  // The control says nothing but pieces and the end.
  const bare = new Map(bareLastIds.map((lastId, at) => [bareRunId(at), { lastId, deltas: lastId - 1 }]))
  return {
    service: judge(streams, outcomes.service, stored),
    control: judge(streams, outcomes.control, bare),
  }
}

const judge = (
  streams: number,
  outcomes: readonly StreamOutcome[],
  runs: ReadonlyMap<string, RunFacts>,
): StreamCorrectness => {
  const sum = (count: (outcome: StreamOutcome) => number): number => outcomes.reduce((all, one) => all + count(one), 0)
  const facts = {
    streams: outcomes.length,
    runs: runs.size,
    frames: sum(({ frames }) => frames),
    gaps: sum(({ gaps }) => gaps),
    duplicates: sum(({ duplicates }) => duplicates),
    lateBegins: outcomes.filter(({ firstId }) => firstId !== 1).length,
    withoutEnd: outcomes.filter(({ ending, failure }) => ending === undefined || failure !== undefined).length,
    unlikeTheRun: outcomes.filter(({ run, lastId, deltas }) => {
      const known = runs.get(run)
      return known?.lastId !== lastId || known.deltas !== deltas
    }).length,
  }
  const isRight =
    facts.streams === streams &&
    facts.gaps + facts.duplicates + facts.lateBegins + facts.withoutEnd + facts.unlikeTheRun === 0
  return { ...facts, isRight }
}

const readRuns = async (url: string, ids: ReadonlySet<string>): Promise<Map<string, RunFacts>> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ at: number; last_seq: number; deltas: number }>(
      `select asked.at::integer as at, e.last_seq,
              (select count(*)::integer from run_deltas d where d.run_id = asked.id) as deltas
         from unnest($1::uuid[]) with ordinality as asked (id, at)
         join run_results e on e.run_id = asked.id`,
      [[...ids].map((id) => toUuid(id as `run_${string}`))],
    )
    const names = [...ids]
    return new Map(rows.map(({ at, last_seq, deltas }) => [names[at - 1] ?? '', { lastId: last_seq, deltas }]))
  } finally {
    await client.end()
  }
}
