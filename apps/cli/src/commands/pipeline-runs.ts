import type { PipelineRun, PipelineRunStatus, PipelineRunsActParams } from '@agent-run-service/sdk'
import { Argument, type Command } from 'commander'
import { withExamples } from '../describe.ts'
import { CommandError } from '../exit-code.ts'
import { readValue } from '../input.ts'
import { type PageOptions, pageOf, tellPage, withPaging } from '../list.ts'
import { duration, localTime, readMoment } from '../moment.ts'
import { findPipelineId } from '../pipeline-name.ts'
import { acting, type Session } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { type Following, followPipelineRun, followStarted, withFollowing } from './pipeline-run-stream.ts'
import { describePipelineRun, isEnded, tellPipelineQuestions } from './pipeline-run-view.ts'
import { namedQuestion } from './run-decision.ts'

const example = 'plr_01kf3xw0fqe1vrr9m8sdv2wbx4'

/** Shows, follows and decides pipeline runs. The other commands follow from the operations of the API. */
export const addPipelineRuns = (program: Command): void => {
  const runs = withExamples(
    program.command('pipeline-runs').description('show, follow, decide and repeat pipeline runs'),
    'ars pipeline-runs list --status failed',
    `ars pipeline-runs watch ${example}`,
  )
  withExamples(
    withPaging(runs.command('list').description('list pipeline runs, newest first'))
      .option('--pipeline <pipeline>', 'only runs of this pipeline, by its id or its name')
      .option('--status <list>', 'only these statuses, separated by commas')
      .option('--since <time>', 'only those created since this time: 2h, 7d or a date and time')
      .action(acting(list)),
    'ars pipeline-runs list --pipeline Invoices --status failed --since 1d',
  )
  withExamples(
    runs.command('get <id>').description('show a pipeline run with its steps').action(acting(get)),
    `ars pipeline-runs get ${example}`,
  )
  withExamples(
    runs.command('watch <id>').description('show the steps of a pipeline run until it ends').action(acting(watch)),
    `ars pipeline-runs watch ${example}`,
  )
  withExamples(
    runs
      .command('act <id>')
      .description('decide an approval step')
      .addArgument(new Argument('<type>', 'the decision').choices(['approve', 'reject']))
      .option('--action <step>', 'the key of the step; without it, the only one that waits is shown and decided')
      .option('--payload <json>', 'the values that the step asks for: JSON, @file, or -')
      .option('--comment <text>', 'reason; it is recorded')
      .action(acting(act)),
    `ars pipeline-runs act ${example} approve --action editor --payload '{"title":"Harbour 2.4"}'`,
    `ars pipeline-runs act ${example} reject --comment "not this week"`,
  )
  withExamples(
    runs.command('cancel <id>').description('cancel a pipeline run and the runs of its steps').action(acting(cancel)),
    `ars pipeline-runs cancel ${example}`,
  )
  withExamples(
    withFollowing(runs.command('rerun <id>'))
      .description('start the same pipeline run again from a step; earlier steps keep their outputs')
      .requiredOption('--from-step <key>', 'the first step that runs again')
      .action(acting(rerun)),
    `ars pipeline-runs rerun ${example} --from-step judge --follow`,
  )
}

type ListOptions = PageOptions & { pipeline?: string; status?: string; since?: string }

const list = async (session: Session, options: ListOptions) => {
  const { terminal, signal } = session
  const client = session.client()
  const { pipeline, status, since } = options
  const filters = {
    ...pageOf(options),
    ...(pipeline === undefined ? {} : { pipeline_id: await findPipelineId(client, pipeline, signal) }),
    ...(status === undefined ? {} : { status: status.split(',') as PipelineRunStatus[] }),
    ...(since === undefined ? {} : { created_after: readMoment(since, Date.now()) }),
  }
  await tellPage(terminal, await client.pipelineRuns.list(filters, { signal }), {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      CREATED: ({ created_at }) => localTime(created_at),
      STATUS: ({ status }) => status,
      PIPELINE: ({ pipeline_id }) => pipeline_id,
      STEPS: ({ steps }) => `${steps.filter(({ finished_at }) => finished_at !== null).length}/${steps.length}`,
      TOOK: ({ latency_ms }) => duration(latency_ms),
      ERROR: ({ error }) => (error === null ? '' : [error.code, error.step].filter(Boolean).join(' in ')),
    },
    nothing: 'No pipeline runs found.',
  })
  return undefined
}

const get = async ({ terminal, client, signal }: Session, id: string) => {
  const run = await client().pipelineRuns.get(id, { signal })
  terminal.result(run, () => describePipelineRun(terminal, run))
  if (!terminal.isJson) tellPipelineQuestions(terminal, id, run.required_actions)
  return undefined
}

const watch = (session: Session, id: string) => followPipelineRun(session, id)

type ActOptions = { action?: string; payload?: string; comment?: string }

const act = async (
  session: Session,
  id: string,
  type: PipelineRunsActParams['type'],
  { action, payload, comment }: ActOptions,
) => {
  const { terminal, client, signal } = session
  if (type === 'reject' && payload !== undefined) {
    throw new CommandError('reject takes no payload', { advice: 'Give a reason with --comment.' })
  }
  const value = payload === undefined ? undefined : await readValue(payload, '--payload', 'json')
  const named = action ?? (await questionOf(session, id))
  const body: PipelineRunsActParams = {
    type,
    ...(named === undefined ? {} : { action_id: named }),
    ...(value === undefined ? {} : { payload: value }),
    ...(comment === undefined ? {} : { comment }),
  }
  tellActed(terminal, await client().pipelineRuns.act(id, body, { signal }))
  return undefined
}

/** Steps of the pipeline run only: a question of the run of a step is decided at that run. */
const questionOf = async ({ terminal, client, signal }: Session, id: string): Promise<string | undefined> => {
  const { required_actions } = await client().pipelineRuns.get(id, { signal })
  const own = required_actions.filter(({ run_id }) => run_id === null)
  return namedQuestion(own, () => tellPipelineQuestions(terminal, id, own))
}

const cancel = async ({ terminal, client, signal }: Session, id: string) => {
  tellActed(terminal, await client().pipelineRuns.cancel(id, { signal }))
  return undefined
}

const tellActed = (terminal: Terminal, run: PipelineRun): void => {
  terminal.result(run, () => `${run.id} is ${run.status}.`)
  if (!terminal.isJson && !isEnded(run)) terminal.note(`Follow it with: ars pipeline-runs watch ${run.id}`)
}

const rerun = async (session: Session, id: string, { fromStep, ...following }: Following & { fromStep: string }) => {
  const started = await session.client().pipelineRuns.rerun(id, { from_step: fromStep }, { signal: session.signal })
  return followStarted(session, started, following)
}
