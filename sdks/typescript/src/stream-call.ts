import type { Event, PipelineRunFrame, Run, RunFrame } from './generated/types.ts'
import { type Invocation, requestOf } from './invocation.ts'
import { type Params, pathOf, queryOf } from './query.ts'
import type { Call } from './request.ts'
import { isPassing } from './retry.ts'
import type { RunStreamPlan } from './run-stream.ts'
import { createStream, type Position, type Stream, type StreamPlan } from './stream.ts'

const runResumeForMs = 5 * 60_000

/** The stream of the organisation's events does not end; the stream of a pipeline run ends with it. */
export const eventStream = (invocation: Invocation): Stream<Event | PipelineRunFrame> =>
  createStream<Event | PipelineRunFrame>({
    ...planOf<Event | PipelineRunFrame>(invocation),
    isLast: ({ type }) => pipelineRunEndings.has(type),
    resumeForMs: invocation.options.resumeForMs ?? Number.POSITIVE_INFINITY,
  })

/** The stream of a run, which ends with the run. */
export const runStreamPlan = (invocation: Invocation): RunStreamPlan => {
  const { caller, operation, ids, params, options } = invocation
  const readRun = async (at: Position<RunFrame>, signal: AbortSignal): Promise<Run | undefined> => {
    const id = ids.id ?? runIdOf(at)
    if (id === undefined) return undefined
    const path = pathOf(operation.resumesAt ?? operation.path, { id }).replace(/\/stream$/, '')
    const call: Call = { method: 'GET', path, isRepeatable: true, options: { ...options, signal } }
    return (await caller.transport.read(call)).data as Run
  }
  return {
    ...planOf<RunFrame>(invocation),
    isLast: ({ type }) => endings.has(type),
    isOver: async (at, signal) => {
      try {
        const run = await readRun(at, signal)
        return run !== undefined && hasEnded(run)
      } catch (error) {
        if (isPassing(error)) return false
        throw error
      }
    },
    lacksDeltas: options.lastEventId !== undefined || Boolean(params.after) || params.deltas === 'false',
    readRun,
    resumeForMs: options.resumeForMs ?? runResumeForMs,
  }
}

const endings: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled'])
const pipelineRunEndings: ReadonlySet<string> = new Set([
  'pipeline_run.completed',
  'pipeline_run.failed',
  'pipeline_run.cancelled',
])
const endedStatuses: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

export const hasEnded = ({ status }: Pick<Run, 'status'>): boolean => endedStatuses.has(status)

const planOf = <Frame extends object>(
  invocation: Invocation,
): Pick<StreamPlan<Frame>, 'begin' | 'resume' | 'options' | 'clock' | 'log'> => {
  const { caller, options } = invocation
  const { transport, clock, log } = caller
  const request = requestOf(invocation)
  const opening = { accept: 'text/event-stream', ...(options.lastEventId && { 'last-event-id': options.lastEventId }) }
  return {
    begin: (signal) =>
      transport.open({
        ...request,
        headers: { ...request.headers, ...opening },
        options: { ...request.options, signal },
      }),
    resume: (at, signal) => transport.open(resumption(invocation, request, at, signal)),
    options,
    clock,
    log,
  }
}

const resumption = (
  { operation, ids, params, options }: Invocation,
  request: Call,
  at: Position<object>,
  signal: AbortSignal,
): Call => {
  const headers = {
    accept: 'text/event-stream',
    ...(at.lastEventId !== undefined && at.lastEventId !== '' && { 'last-event-id': at.lastEventId }),
  }
  const once = { ...options, signal, maxRetries: 0 }
  const runId = operation.resumesAt === undefined ? undefined : runIdOf(at)
  if (operation.resumesAt !== undefined && runId !== undefined) {
    const path = pathOf(operation.resumesAt, { id: runId })
    return { method: 'GET', path, headers, isRepeatable: true, options: once }
  }
  // The run id is unknown, but the same idempotency key finds the run.
  if (request.method === 'POST') return { ...request, headers: { ...request.headers, ...headers }, options: once }
  // The last event id is newer than the requested start.
  const { after: _, since: __, ...filters } = params
  const query = queryOf(at.lastEventId ? filters : sinceBeginning(params, ids, at))
  return { method: 'GET', path: pathOf(operation.path, ids) + query, headers, isRepeatable: true, options: once }
}

/**
 * A stream of events that started "now" and broke before its first frame resumes at that time, by the clock of the service.
 * The stream of one thing begins with all of it.
 */
const sinceBeginning = (params: Params, ids: Invocation['ids'], at: Position<object>): Params => {
  const date = Date.parse(at.headers.get('date') ?? '')
  const isBound = params.after !== undefined || params.since !== undefined || Object.keys(ids).length > 0
  return isBound || Number.isNaN(date) ? params : { ...params, since: new Date(date).toISOString() }
}

const runIdOf = ({ last, headers }: Position<object>): string | undefined => {
  const { run_id: id } = (last ?? {}) as { run_id?: unknown }
  return typeof id === 'string' ? id : (headers.get('x-run-id') ?? undefined)
}
