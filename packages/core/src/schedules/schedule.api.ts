import type { CreateSchedule, contract, Handlers, ScheduleId } from '@ars/contract'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import type { Replays } from '../replay.ts'
import type { ScheduleService } from './schedule.service.ts'

type Things = { agents: AllowedAgents }

export const scheduleApi = (schedules: ScheduleService): Handlers<typeof contract.schedules, Ctx, Things> => ({
  list: (ctx, page, within) => schedules.list(ctx, page, within),
  create: (ctx, body, within) => schedules.create(ctx, body, within),
  get: (ctx, { id }, within) => schedules.get(ctx, id, within),
  update: (ctx, body, within) => schedules.update(ctx, body, within),
  delete: (ctx, { id }, within) => schedules.delete(ctx, id, within),
  pause: (ctx, { id }, within) => schedules.pause(ctx, id, within),
  resume: (ctx, { id }, within) => schedules.resume(ctx, id, within),
  run: (ctx, { id }, within) => schedules.run(ctx, id, within),
  firings: (ctx, page, within) => schedules.firings(ctx, page, within),
})

/** The responses to repeated requests. */
export const scheduleReplays = (schedules: ScheduleService): Replays => ({
  'schedules.create': (ctx, body: CreateSchedule, within: AllowedAgents) => schedules.findReplay(ctx, body, within),
  'schedules.run': (ctx, { id }: { id: ScheduleId }, within: AllowedAgents) => schedules.findRunReplay(ctx, id, within),
})
