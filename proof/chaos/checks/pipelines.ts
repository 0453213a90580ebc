import { isDeepStrictEqual } from 'node:util'
import type { LedgerLine } from '../ledger.ts'
import type { ExpectedRun } from '../pipeline-model.ts'

/** All that the database says of pipeline runs. Ids are UUIDs. */
export type PipelineRecords = {
  items: {
    pipeline_run_id: string
    step: string
    item: number
    attempt: number
    run_id: string | null
    outcome: string | null
  }[]
  runs: { id: string; pipeline_run_id: string; status: string | null }[]
  /** Events that tell of the end of a pipeline run. */
  ends: { pipeline_run_id: string; event_id: string }[]
  heads: { pipeline_run_id: string }[]
  waits: { pipeline_run_id: string }[]
}

/** A pipeline run that a client was told of, and what the model says of it. `id` is a UUID. */
export type StartedPipelineRun = { key: string; id: string; expected: ExpectedRun }

/** Each item of each step has one attempt, one run, and that run has completed. There is no other run. */
export const checkOneRunPerItem = (started: readonly StartedPipelineRun[], records: PipelineRecords): string[] => {
  const items = Map.groupBy(records.items, ({ pipeline_run_id }) => pipeline_run_id)
  const runs = Map.groupBy(records.runs, ({ pipeline_run_id }) => pipeline_run_id)
  return started.flatMap(({ key, id, expected }) => {
    const ownRuns = runs.get(id) ?? []
    const statuses = new Map(ownRuns.map((run) => [run.id, run.status]))
    const ofStep = Map.groupBy(items.get(id) ?? [], ({ step }) => step)
    const named = new Set([...ofStep.values()].flat().map(({ run_id }) => run_id))
    const unknownSteps = [...ofStep.keys()].filter((step) => !expected.runs.has(step))
    const faults = [...expected.runs].flatMap(([step, wanted]) => {
      const byItem = Map.groupBy(ofStep.get(step) ?? [], ({ item }) => item)
      const beyond = [...byItem.keys()].filter((item) => item >= wanted.length)
      return [
        ...wanted
          .flatMap((_, item) => faultsOfItem(byItem.get(item) ?? [], statuses))
          .map((fault) => `${step}: ${fault}`),
        ...beyond.map((item) => `${step}: item ${item} is not expected`),
      ]
    })
    return [
      ...faults,
      ...unknownSteps.map((step) => `${step} is not expected`),
      ...ownRuns.filter((run) => !named.has(run.id)).map((run) => `run ${run.id} belongs to no item`),
    ].map((fault) => `${key} ${fault}`)
  })
}

const faultsOfItem = (attempts: PipelineRecords['items'], statuses: ReadonlyMap<string, string | null>): string[] => {
  const [first] = attempts
  if (!first) return ['an item is missing']
  if (attempts.length > 1) return [`item ${first.item} has ${attempts.length} attempts`]
  if (first.outcome !== 'completed') return [`item ${first.item} is ${first.outcome ?? 'open'}`]
  if (first.run_id === null) return [`item ${first.item} has no run`]
  const status = statuses.get(first.run_id)
  return status === 'completed' ? [] : [`the run of item ${first.item} is ${status ?? 'not there'}`]
}

/** The end of each pipeline run is one event. */
export const checkOneEnd = (started: readonly StartedPipelineRun[], { ends }: PipelineRecords): string[] => {
  const events = Map.groupBy(ends, ({ pipeline_run_id }) => pipeline_run_id)
  const known = new Set(started.map(({ id }) => id))
  return [
    ...started
      .map(({ key, id }) => ({ key, count: events.get(id)?.length ?? 0 }))
      .filter(({ count }) => count !== 1)
      .map(({ key, count }) => `${key} has ${count} events`),
    ...[...events.keys()].filter((id) => !known.has(id)).map((id) => `pipeline run ${id} was not asked for`),
  ]
}

/** Nothing of a pipeline run is left that could still move. */
export const checkNothingLeft = ({ heads, waits, items }: PipelineRecords): string[] => [
  ...heads.map(({ pipeline_run_id }) => `pipeline run ${pipeline_run_id} is active`),
  ...waits.map(({ pipeline_run_id }) => `pipeline run ${pipeline_run_id} waits for a run`),
  ...items
    .filter(({ outcome }) => outcome === null)
    .map(({ pipeline_run_id, step, item }) => `pipeline run ${pipeline_run_id} step ${step} item ${item} is open`),
]

/** A run of an item took the steps that the model expects. One that ran twice is in the ledger twice. */
export const checkRecordedSteps = (
  started: readonly StartedPipelineRun[],
  { items }: PipelineRecords,
  ledger: readonly LedgerLine[],
): string[] => {
  const taken = Map.groupBy(ledger, ({ run_id }) => run_id)
  const ofRun = Map.groupBy(items, ({ pipeline_run_id }) => pipeline_run_id)
  return started.flatMap(({ key, id, expected }) =>
    (ofRun.get(id) ?? []).flatMap(({ step, item, run_id }) => {
      const wanted = expected.runs.get(step)?.[item]?.recorded ?? 0
      const found = new Set((taken.get(run_id ?? '') ?? []).map((line) => line.step)).size
      return found === wanted ? [] : [`${key} ${step} item ${item} took ${found} steps instead of ${wanted}`]
    }),
  )
}

/** What a client or a receiver read of a pipeline run, against the model. */
export const checkOutput = (
  key: string,
  expected: ExpectedRun,
  read: { status: string; output: unknown; error?: unknown },
): string[] => {
  if (read.status !== 'completed') return [`${key} is ${read.status}: ${JSON.stringify(read.error ?? null)}`]
  if (isDeepStrictEqual(read.output, expected.output)) return []
  return [`${key} has ${JSON.stringify(read.output)} instead of ${JSON.stringify(expected.output)}`.slice(0, 2000)]
}
