import type { PipelineRunsActParams } from '@agent-run-service/sdk'
import { Argument, type Command } from 'commander'
import { withExamples } from '../describe.ts'
import { CommandError } from '../exit-code.ts'
import { readValue } from '../input.ts'
import { acting, type Session } from '../session.ts'
import { type Following, followPipelineRun, followStarted, withFollowing } from './pipeline-run-stream.ts'
import { stateOfPipelineRun, tellNext, tellPipelineQuestions } from './pipeline-run-view.ts'
import { namedQuestion } from './run-decision.ts'

const example = 'plr_01kf3xw0fqe1vrr9m8sdv2wbx4'

/** Follows, decides and repeats pipeline runs. The other commands follow from the operations of the API. */
export const addPipelineRuns = (program: Command): void => {
  const runs = withExamples(
    program.command('pipeline-runs').description('show, follow, decide and repeat pipeline runs'),
    'ars pipeline-runs list --status failed',
    `ars pipeline-runs watch ${example}`,
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
    withFollowing(runs.command('rerun <id>'))
      .description('start the same pipeline run again from a step; earlier steps keep their outputs')
      .requiredOption('--from-step <key>', 'the first step that runs again')
      .action(acting(rerun)),
    `ars pipeline-runs rerun ${example} --from-step judge --follow`,
  )
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
  const run = await client().pipelineRuns.act(id, body, { signal })
  terminal.result(run, () => stateOfPipelineRun(run))
  tellNext(terminal, run)
  return undefined
}

/** Steps of the pipeline run only: a question of the run of a step is decided at that run. */
const questionOf = async ({ terminal, client, signal }: Session, id: string): Promise<string | undefined> => {
  const { required_actions } = await client().pipelineRuns.get(id, { signal })
  const own = required_actions.filter(({ run_id }) => run_id === null)
  return namedQuestion(own, () => tellPipelineQuestions(terminal, id, own))
}

const rerun = async (session: Session, id: string, { fromStep, ...following }: Following & { fromStep: string }) => {
  const started = await session.client().pipelineRuns.rerun(id, { from_step: fromStep }, { signal: session.signal })
  return followStarted(session, started, following)
}
