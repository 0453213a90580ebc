import type { AgentRunService } from '@agent-run-service/sdk'
import { cliBounds } from './bounds.ts'
import { findIdByName } from './thing-name.ts'

/** A schedule is named by its id, or by a name that only one schedule has. */
export const findScheduleId = (client: AgentRunService, given: string, signal: AbortSignal): Promise<string> =>
  findIdByName({ prefix: 'sch', noun: 'schedule', list: 'ars schedules list' }, given, () =>
    client.schedules.list({ limit: cliBounds.page.count }, { signal }),
  )
