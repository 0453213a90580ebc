export const runStatuses = [
  'queued',
  'running',
  'requires_action',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
] as const

export type RunStatus = (typeof runStatuses)[number]
