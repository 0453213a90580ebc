import type { contract, Handlers } from '@ars/contract'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import type { AnalyticsService } from './analytics.service.ts'
import { toCsv } from './analytics-csv.ts'
import type { UsageService } from './usage.service.ts'

type Things = { agents: AllowedAgents }

export const usageApi = (usage: UsageService): Handlers<typeof contract.usage, Ctx, Things> => ({
  get: (ctx, asked, within) => usage.get(ctx, asked, within),
})

export const analyticsApi = (analytics: AnalyticsService): Handlers<typeof contract.analytics, Ctx, Things> => ({
  get: (ctx, asked, within) => analytics.get(ctx, asked, within),
  export: async (ctx, asked, within) => toCsv(await analytics.get(ctx, asked, within)),
})
