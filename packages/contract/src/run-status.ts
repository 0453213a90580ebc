import { z } from 'zod'

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

export const RunState = z.enum(runStatuses).meta({
  id: 'RunStatus',
  description: 'The state of a run. It ends as `completed`, `failed` or `cancelled`.',
})
