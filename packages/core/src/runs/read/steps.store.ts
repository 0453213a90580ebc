import { limits, type RunErrorCode } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type Fitting, fittingPage, isCut } from '@ars/platform/db/fitting-page'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { CallRecord, Decision } from '../../steps/index.ts'
import { stepColumns } from '../run/history.store.ts'
import { type StepRow, toPastStep } from '../run/past-step.ts'
import type { StartedStep, StepRows } from './steps-view.ts'

/** `limit` is one beyond the size of the page. With `before`, the page ends before that step. */
export type StepRange = { after: number | null; before: number | null; limit: number }

/** `isCut`: there are more steps in the direction of the page, although it is not full. */
type StepPage = StepRows & { isCut: boolean }

/** A page of steps, oldest first. It ends early by bytes, after at least one step. */
export const listSteps = async (db: Database, org: string, run: string, page: StepRange): Promise<StepPage> => {
  const { limit, after, before } = page
  const asked = { org, runId: run, limit, maxBytes: limits.pageBytes, after: after ?? 0 }
  const rows = await db.once(org, before === null ? listLater(asked) : listEarlier({ ...asked, before }))
  const steps = (before === null ? rows : rows.toReversed()).map(toPastStep)
  const first = steps[0]?.step ?? 0
  const last = steps.at(-1)?.step ?? 0
  // The step that is not stored yet follows the last one, so only a page that reaches the end can show it.
  const reachesEnd = before !== null || (rows.length < limit && !isCut(rows))
  const [calls, decisions, running, prior, ended, started] = await db.batch(org, [
    listCalls({ org, runId: run, first, last }),
    listDecisions({ org, runId: run, first }),
    listRunning({ org, runId: run, after: after ?? 0, before: reachesEnd ? before : 0 }),
    findPrior({ org, runId: run, step: steps[0]?.kind === 'tools' ? first - 1 : 0 }),
    findEnd({ org, runId: run }),
    findStarted({ org, runId: run }),
  ])
  const endedAt = ended[0]?.finished_at
  // A step that was stored since the first statement leaves a gap. It is on the next reading.
  const next = (last || (after ?? 0)) + 1
  const isBegun = !endsBetweenSteps.has(ended[0]?.error_code ?? '')
  const open = started.find(({ step }) => isBegun && reachesEnd && step === next && (before === null || step < before))
  return {
    steps,
    calls,
    decisions,
    running,
    started: open,
    endedAt,
    prior: prior[0] && toPastStep(prior[0]),
    isCut: isCut(rows),
  }
}

type Asked = { org: Uuid; runId: Uuid; limit: number; maxBytes: number; after: number }

const pageOf = (conditions: string, order: string): string =>
  fittingPage(
    `select ${stepColumns}, coalesce(bytes, pg_column_size(output)) as bytes from run_steps
       where org_id = :org and run_id = :runId and step > :after and ${conditions} order by ${order} limit :limit`,
    { inner: stepColumns, order },
  )

const listLater = statement<Asked, Fitting<StepRow>>('runs.list_steps_after', pageOf('true', 'step'))

const listEarlier = statement<Asked & { before: number }, Fitting<StepRow>>(
  'runs.list_steps_before',
  pageOf('step < :before', 'step desc'),
)

// Arguments and results of a stored step are in the steps.
const listCalls = statement<{ org: Uuid; runId: Uuid; first: number; last: number }, CallRecord>(
  'runs.list_step_calls',
  sql`select step, ordinal, name, connector_id, '{}'::json as arguments, repeatable, status, null::json as result, started_at,
         finished_at
     from run_tool_calls where org_id = :org and run_id = :runId and step between :first and :last order by step, ordinal`,
)

const listDecisions = statement<{ org: Uuid; runId: Uuid; first: number }, Decision>(
  'runs.list_step_decisions',
  sql`select id, type, step, ordinal, resolution, payload, comment, resolved_by, resolved_by_type, resolved_at, policy
     from run_actions where org_id = :org and run_id = :runId and step >= :first order by id`,
)

const listRunning = statement<{ org: Uuid; runId: Uuid; after: number; before: number | null }, CallRecord>(
  'runs.list_running_calls',
  sql`select step, ordinal, name, connector_id, arguments, repeatable, status, result, started_at, finished_at
     from run_tool_calls
    where org_id = :org and run_id = :runId and step > :after and (:before::integer is null or step < :before)
      and step > (select coalesce(max(step), 0) from run_steps where org_id = :org and run_id = :runId)
    order by step, ordinal`,
)

// The last thing that the run told about its steps. Tool calls have records of their own, and a run that waits for a person
// has no step in progress.
const findStarted = statement<{ org: Uuid; runId: Uuid }, StartedStep>(
  'runs.find_started_step',
  sql`select (e.data ->> 'step')::integer as step, coalesce(e.data ->> 'step_type', 'model') as type,
         e.data ->> 'model' as model, e.created_at as started_at
     from (select type, data, created_at from run_events
            where org_id = :org and run_id = :runId
              and type in ('run.step.started', 'run.step.completed', 'run.requires_action')
            order by seq desc limit 1) e
    where e.type = 'run.step.started' and coalesce(e.data ->> 'step_type', 'model') <> 'tools'
      and coalesce((select status from run_heads where org_id = :org and run_id = :runId), 'ended')
        in ('running', 'cancelling', 'ended')`,
)

// These limits end a run before the step that was announced calls a model. The step is not listed: nothing of it happened.
const endsBetweenSteps: ReadonlySet<string> = new Set<RunErrorCode>(['max_steps_exceeded', 'budget_exceeded'])

const findEnd = statement<{ org: Uuid; runId: Uuid }, { finished_at: Date; error_code: string | null }>(
  'runs.find_end',
  sql`select finished_at, error ->> 'code' as error_code from run_results where org_id = :org and run_id = :runId`,
)

const findPrior = statement<{ org: Uuid; runId: Uuid; step: number }, StepRow>(
  'runs.find_step',
  sql`select ${stepColumns} from run_steps where org_id = :org and run_id = :runId and step = :step`,
)
