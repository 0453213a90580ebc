import type {
  BatchItemStatus,
  BatchStatus,
  PipelineItemStatus,
  PipelineRunStatus,
  PipelineStatus,
  PipelineStepStatus,
  ScheduleFiringStatus,
  ScheduleMissed,
  ScheduleOverlap,
  SchedulePauseReason,
  ScheduleStatus,
} from '@agent-run-service/sdk'

/** The words of pipelines, schedules and batches. They are not in `words.ts`, because the first page does not need them. */
export const flowWords = {
  pipelineStatuses: { active: 'Active', archived: 'Archived' } satisfies Record<PipelineStatus, string>,
  pipelineRunStatuses: {
    running: 'Running',
    cancelling: 'Cancelling',
    completed: 'Completed',
    failed: 'Failed',
    cancelled: 'Cancelled',
  } satisfies Record<PipelineRunStatus, string>,
  steps: {
    pending: 'Pending',
    running: 'Running',
    completed: 'Completed',
    failed: 'Failed',
    skipped: 'Skipped',
    cancelled: 'Cancelled',
  } satisfies Record<PipelineStepStatus, string>,
  items: {
    waiting: 'Waiting',
    running: 'Running',
    completed: 'Completed',
    failed: 'Failed',
    cancelled: 'Cancelled',
  } satisfies Record<PipelineItemStatus, string>,
  scheduleStatuses: { active: 'Active', paused: 'Paused', ended: 'Ended' } satisfies Record<ScheduleStatus, string>,
  pauseReasons: {
    requested: 'A person or a key paused it.',
    creator_gone:
      'Its creator has left, or the key of its creator was revoked or has expired. Resume it to become its creator.',
    forbidden: 'Its creator may not start the target any more. Resume it to become its creator.',
    target_not_available: 'Its agent or pipeline is archived.',
  } satisfies Record<SchedulePauseReason, string>,
  missed: {
    skip: 'Do not fire',
    once: 'Fire once for all of them',
  } satisfies Record<ScheduleMissed, string>,
  overlap: {
    skip: 'Skip the new one',
    queue: 'Wait until it ends',
    allow: 'Run both',
  } satisfies Record<ScheduleOverlap, string>,
  firings: {
    due: 'Due',
    queued: 'Waiting',
    started: 'Started',
    skipped: 'Skipped',
    failed: 'Failed',
  } satisfies Record<ScheduleFiringStatus, string>,
  batchStatuses: {
    running: 'Running',
    cancelling: 'Cancelling',
    completed: 'Completed',
    cancelled: 'Cancelled',
  } satisfies Record<BatchStatus, string>,
  batchItems: {
    waiting: 'Waiting',
    queued: 'Queued',
    running: 'Running',
    requires_action: 'Needs a decision',
    cancelling: 'Cancelling',
    completed: 'Completed',
    failed: 'Failed',
    cancelled: 'Cancelled',
  } satisfies Record<BatchItemStatus, string>,
} as const
