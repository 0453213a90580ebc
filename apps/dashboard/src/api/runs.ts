import type { ActionDecision, AgentRunService, RunStep } from '@agent-run-service/sdk'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { collect } from './collect.ts'
import { mayPoll } from './connection.ts'

const endedStatuses: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])
export const hasEnded = ({ status }: { status: string }): boolean => endedStatuses.has(status)

/** What a link to a run can call as well. */
export type RunReads = Pick<AgentRunService['runs'], 'get' | 'steps' | 'watch'>

export const runQuery = (id: string, runs: RunReads = client.runs) =>
  queryOptions({
    queryKey: ['runs', id],
    queryFn: async () => runs.get(id),
    refetchOnWindowFocus: ({ state }) => state.data !== undefined && !hasEnded(state.data),
  })

const maxSteps = 2_000

/** All steps of a run, up to 2,000. */
export const runStepsQuery = (id: string, runs: RunReads = client.runs) =>
  queryOptions({
    queryKey: ['runs', id, 'steps'],
    queryFn: () => collect(runs.steps(id, { limit: 100 }), maxSteps),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const diagnosisQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'diagnosis'],
    queryFn: async () => client.runs.diagnose(id),
    staleTime: 0,
    refetchInterval: () => (mayPoll() ? 10_000 : false),
  })

/** Who decided an action; null until the service tells it. Asks again every second, ten times at most. */
export const madeDecisionQuery = (runId: string, actionId: string) =>
  queryOptions({
    queryKey: ['runs', runId, 'decision', actionId],
    queryFn: async () => decisionIn(await allSteps(runId), actionId),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data || state.dataUpdateCount >= 10 ? false : 1_000),
  })

const allSteps = async (runId: string): Promise<readonly RunStep[]> =>
  (await client.runs.steps(runId, { limit: 100 })).data

const decisionIn = (steps: readonly RunStep[], actionId: string): ActionDecision | null =>
  steps.flatMap(({ decisions }) => decisions).find(({ action_id }) => action_id === actionId) ?? null
