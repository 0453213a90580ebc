import type {
  AgentStats,
  Batch,
  Delivery,
  Event,
  PipelineRun,
  Recovery,
  Run,
  Schedule,
  ScheduleFiring,
  Webhook,
} from '@agent-run-service/sdk'
import { describeDelivery } from './commands/delivery-view.ts'
import {
  describePipelineRun,
  stateOfPipelineRun,
  tellNext,
  tellPipelineQuestions,
} from './commands/pipeline-run-view.ts'
import { describeRun } from './commands/run-view.ts'
import { describeSchedule, stateOfSchedule } from './commands/schedule-view.ts'
import { progressOf } from './commands/webhook-recovery.ts'
import { describeWebhook, offerRecovery } from './commands/webhook-view.ts'
import { fields } from './table.ts'
import type { Terminal } from './terminal.ts'
import { escapeUnfit } from './text.ts'

type View = {
  text(record: unknown, terminal: Terminal): string
  /** What the terminal says after it, not with JSON. */
  after?(record: unknown, terminal: Terminal): void
}

/** A view that knows the type of the record. */
const viewOf = <Of>(
  text: (record: Of, terminal: Terminal) => string,
  after?: (record: Of, terminal: Terminal) => void,
): View => ({ text, ...(after && { after }) }) as View

/** How the answers of operations are shown. One that is not here shows its fields. */
export const recordViews: Readonly<Record<string, View>> = {
  'agents.stats': viewOf<AgentStats>(({ runs, is_capped }) => {
    const states = fields(Object.entries(runs).map(([state, count]) => [state, String(count)]))
    return is_capped ? `${states}\n\nCounting stopped at 10,000 runs in all.` : states
  }),
  'batches.cancel': viewOf<Batch>(({ id, status }) => `${id} is ${status}.`),
  'events.get': viewOf<Event>((event) => escapeUnfit(JSON.stringify(event, null, 2))),
  'pipelineRuns.cancel': viewOf<PipelineRun>(stateOfPipelineRun, (run, terminal) => tellNext(terminal, run)),
  'pipelineRuns.get': viewOf<PipelineRun>(
    (run, terminal) => describePipelineRun(terminal, run),
    (run, terminal) => tellPipelineQuestions(terminal, run.id, run.required_actions),
  ),
  'runs.cancel': viewOf<Run>(({ id, status }) => `${id} is ${status}.`),
  'runs.get': viewOf<Run>((run, terminal) => describeRun(terminal, run)),
  'schedules.get': viewOf<Schedule>((schedule, terminal) => describeSchedule(terminal, schedule)),
  'schedules.pause': viewOf<Schedule>(stateOfSchedule),
  'schedules.resume': viewOf<Schedule>(stateOfSchedule),
  'schedules.run': viewOf<ScheduleFiring>(
    ({ id, status }) => `${id} is ${status}.`,
    ({ schedule_id }, terminal) => terminal.note(`See its run: ars schedules firings ${schedule_id}`),
  ),
  'webhooks.cancelRecovery': viewOf<Recovery>(
    (recovery) => `${recovery.id} is ${recovery.status}: ${progressOf(recovery)}`,
  ),
  'webhooks.delete': viewOf<{ id: string }>(({ id }) => `${id} is deleted.`),
  'webhooks.delivery': viewOf<Delivery>((delivery, terminal) => describeDelivery(terminal, delivery)),
  'webhooks.get': viewOf<Webhook>(
    (webhook, terminal) => describeWebhook(terminal, webhook),
    (webhook, terminal) => offerRecovery(terminal, webhook),
  ),
}
