import type { Stage } from './rule.ts'

/**
 * Every place where text of a customer enters, is stored or leaves. `apps/server/test/text-places.test.ts` plants a marker in each, and
 * fails for a place that is missing here.
 */

/** Why policies do not judge a text. */
const unjudgedText = {
  configuration:
    'The organisation sets it up: names, addresses, agents, pipelines, policies. Its authors hold a scope for it, and no run writes it.',
  filter: 'It is compared, and not stored.',
  credential: 'It is a secret or the name of a right. It is stored as a hash or sealed, and shown once at most.',
  receiver: 'The receiver of a webhook has answered it. It is shown with the attempt, and reaches no run.',
} as const

type Judgement = Stage | keyof typeof unjudgedText

/** The fields of requests that can hold any text: an operation and its fields. */
export const enteringText: Readonly<Partial<Record<Judgement, readonly string[]>>> = {
  input: [
    'runs.create input metadata',
    'runs.stream input metadata',
    'pipelineRuns.create input metadata',
    'schedules.create input metadata',
    'schedules.update input metadata',
    // The accept of each run judges its item.
    'batches.create items metadata',
  ],
  action_payload: ['runs.act comment payload', 'pipelineRuns.act comment payload'],
  configuration: [
    'agents.update name description config input_schema output_schema policies metadata',
    'agents.create name description config input_schema output_schema policies metadata',
    'agents.hire name config metadata catalog_key',
    'deployments.rollback reason',
    'connectors.create name url',
    'connectors.update name url',
    'connectors.approveTool name',
    'webhooks.create url events description',
    'webhooks.update url events description',
    'webhooks.test event_type',
    'apiKeys.create name',
    'apiKeys.update name',
    'auth.updateMe name',
    'members.invite email',
    'auth.acceptInvitation name',
    'organisation.update name',
    'alertDestinations.create url',
    'alertRules.create name',
    'alertRules.update name',
    'policies.create name description rules template params',
    'policies.update name description rules',
    'pipelines.create name description definition metadata',
    'pipelines.check definition',
    'pipelines.update name description definition metadata',
    'schedules.create name cron time_zone',
    'schedules.update name cron time_zone',
  ],
  filter: [
    'runs.list metadata',
    'analytics.get time_zone',
    'analytics.export time_zone',
    'pipelineRuns.act action_id',
    'pipelineRuns.items key',
    'pipelineRuns.rerun from_step',
    'agents.list q',
    'catalog.list after before q',
    'catalog.get key',
    'models.list after before q',
    'policyTemplates.list after before',
    'policyTemplates.get key',
    'pipelines.list q',
  ],
  credential: [
    'webhooks.create secret',
    'webhooks.rotateSecret secret',
    'apiKeys.create scopes',
    'apiKeys.update scopes',
    'sessionTokens.create scopes',
    'auth.login email password',
    'auth.changePassword current_password new_password',
    'auth.resetPassword token password',
    'auth.proveEmail token',
    'auth.acceptInvitation token password',
    'connectors.create auth',
    'connectors.update auth',
  ],
}

/** What others say to a run, and what a pipeline run puts together. */
export const arrivingText: Readonly<Record<string, Judgement>> = {
  'text of a model': 'output',
  'call of a tool': 'tool_call',
  'result of a tool': 'tool_result',
  'answer of a remote agent': 'output',
  'error of a provider, a tool or a remote agent': 'output',
  'list of a step of a pipeline run': 'input',
  'question of a pipeline run': 'output',
  'output of a pipeline run': 'output',
  'error of an expression of a pipeline run': 'output',
  'response of a webhook receiver': 'receiver',
}

/** Columns that hold text which no policy has judged. An item of a batch is judged, and deleted, when its run is accepted. */
export const storedUnjudged: readonly string[] = ['batch_items.input', 'delivery_attempts.response_body']

/** All columns that hold such text. */
export const storedText: readonly string[] = [
  ...storedUnjudged,
  'batches.metadata',
  'event_bodies.body',
  'events.data',
  'pipeline_items.comment',
  'pipeline_items.payload',
  'pipeline_items.question',
  'pipeline_runs.error',
  'pipeline_runs.input',
  'pipeline_runs.metadata',
  'pipeline_runs.output',
  'pipeline_steps.list',
  'policy_trials.samples',
  'run_actions.comment',
  'run_actions.message',
  'run_actions.payload',
  'run_actions.tool_call',
  'run_deltas.data',
  'run_events.data',
  'run_labels.value',
  'run_messages.message',
  'run_results.error',
  'run_results.output',
  'run_steps.output',
  'run_tool_calls.arguments',
  'run_tool_calls.result',
  'runs.input',
  'runs.metadata',
  'schedules.input',
  'schedules.metadata',
]

/** Operations that show text which no policy has judged. */
export const shownUnjudged: readonly string[] = ['webhooks.deliveries', 'webhooks.delivery']

/** All operations whose responses hold such text, and the parties to which it is sent. */
export const leavingText: readonly string[] = [
  ...shownUnjudged,
  'batches.cancel',
  'batches.create',
  'batches.export',
  'batches.get',
  'batches.list',
  'batches.results',
  'events.get',
  'events.list',
  'pipelineRuns.act',
  'pipelineRuns.cancel',
  'pipelineRuns.create',
  'pipelineRuns.get',
  'pipelineRuns.items',
  'pipelineRuns.list',
  'pipelineRuns.rerun',
  'pipelineRuns.watch',
  'policyTrials.get',
  'policyTrials.list',
  'runs.act',
  'runs.cancel',
  'runs.create',
  'runs.get',
  'runs.list',
  'runs.steps',
  'runs.stream',
  'runs.watch',
  'schedules.create',
  'schedules.delete',
  'schedules.get',
  'schedules.list',
  'schedules.pause',
  'schedules.resume',
  'schedules.update',
  // The same as `events.list`.
  'events.watch',
  // Only content that waits for the decision of a person, to people who may take it.
  'runs.held',
  // Parties. A model gets the conversation of the run, whose parts were judged.
  'model',
  'remote',
  'tool',
  'webhook',
]
