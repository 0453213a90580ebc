import { fromUuid } from '@ars/platform/id'
import type { ApiCaller } from '../lab/client/api-caller.ts'
import { waitFor } from '../lab/condition.ts'
import type { Claim } from '../lab/report/outcome.ts'
import type { Organisation } from '../lab/stack/organisation.ts'
import type { Sql } from '../lab/stack/sql.ts'
import { type Accepted, orderField } from './traffic.ts'

/** What the database says of the runs of a drill after all of them have ended. */
export type RunRecord = {
  key: string
  runId: string
  status: string
  /** When it ended, by the clock of the database. */
  endedAt: Date
  /** Events of its feed that say that it ended. */
  ends: number
}

export const readRuns = async (records: Pick<Sql, 'query'>): Promise<RunRecord[]> => {
  const rows = await records.query<{ key: string; id: string; status: string; ended_at: Date; ends: number }>(
    `select r.metadata ->> '${orderField}' as key, r.id, s.status, s.finished_at as ended_at,
            (select count(*)::integer from run_events e
              where e.run_id = r.id and e.type in ('run.completed', 'run.failed', 'run.cancelled')) as ends
       from runs r left join run_results s on s.run_id = r.id
      where r.metadata ->> '${orderField}' is not null`,
  )
  return rows.map(({ key, id, status, ended_at: endedAt, ends }) => ({
    key,
    runId: fromUuid('run', id),
    status: status ?? 'not ended',
    endedAt,
    ends,
  }))
}

/** What every drill promises about acknowledged runs. */
export const runClaims = (accepted: readonly Accepted[], runs: readonly RunRecord[]): Claim[] => {
  const byId = new Map(runs.map((run) => [run.runId, run]))
  const byKey = Map.groupBy(runs, ({ key }) => key)
  return [
    {
      says: '0 acknowledged runs lost: each one is stored and completed',
      violations: accepted
        .filter(({ runId }) => byId.get(runId)?.status !== 'completed')
        .map(({ runId, key }) => `${runId} (${key}): ${byId.get(runId)?.status ?? 'unknown to the database'}`),
    },
    {
      says: '0 runs ended twice, and one run for each key',
      violations: [
        ...runs.filter(({ ends }) => ends > 1).map(({ runId, ends }) => `${runId}: ${ends} ends`),
        ...[...byKey].filter(([, all]) => all.length > 1).map(([key, all]) => `${key}: ${all.length} runs`),
      ],
    },
  ]
}

/**
 * Waits until no run is active any more. A run that asks whether an interrupted tool call was carried out gets the answer
 * that it was, as a person would give it. Answers how many asked.
 */
export const untilAllEnded = async (options: {
  records: Pick<Sql, 'query'>
  gateways: readonly ApiCaller[]
  organisation: Organisation
  timeoutMs: number
}): Promise<number> => {
  const { records, organisation, timeoutMs } = options
  const asked = new Set<string>()
  await waitFor(
    'every run to end',
    async () => {
      const heads = await records.query<{ run_id: string; status: string }>('select run_id, status from run_heads')
      for (const { run_id: id, status } of heads) {
        if (status !== 'requires_action') continue
        const [gateway] = options.gateways
        if (!gateway) throw new Error('there is no gateway')
        asked.add(id)
        await answerQuestion(gateway, organisation, fromUuid('run', id))
      }
      return heads.length === 0
    },
    { timeoutMs, everyMs: 500 },
  )
  return asked.size
}

const answerQuestion = async (gateway: ApiCaller, { apiKey }: Organisation, runId: string): Promise<void> => {
  const headers = { authorization: `Bearer ${apiKey}` }
  const read = await gateway.call({ method: 'GET', path: `/v2/runs/${runId}`, headers })
  const { required_actions: actions = [] } = JSON.parse(read.text) as { required_actions?: { id: string }[] }
  for (const { id } of actions) {
    const body = { type: 'respond', action_id: id, payload: { outcome: 'done', result: 'charged' } }
    await gateway.call({ method: 'POST', path: `/v2/runs/${runId}/action`, headers, body })
  }
}

/** The longest time in which no run ended, from this moment to the last end. */
export const longestEndStallMs = (runs: readonly RunRecord[], from: Date, to: Date): number => {
  const moments = runs.map(({ endedAt }) => endedAt?.getTime()).filter((at) => at > from.getTime() && at < to.getTime())
  return [...moments.toSorted((a, b) => a - b), to.getTime()].reduce(
    ({ longest, last }, at) => ({ longest: Math.max(longest, at - last), last: at }),
    { longest: 0, last: from.getTime() },
  ).longest
}
