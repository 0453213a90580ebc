import { limits, type BatchResult as WireResult } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { pageSize, toList } from '../page.ts'
import type { BatchRow } from './batch.ts'
import { listItems, listOutcomes } from './batch-item.store.ts'
import { type ItemRow, toWireResult } from './batch-result.ts'

export type BatchResults = {
  list(batch: BatchRow, page: ResultPage): Promise<ReturnType<typeof toList<WireResult>>>
  /** One result per line. Holds one page in memory, which ends early by bytes. */
  export(batch: BatchRow): AsyncIterable<string>
}

type ResultPage = { limit?: number | undefined; after?: string | undefined; before?: string | undefined }

/** Items that an export reads at once. */
const itemsPerExportPage = 200

export const createBatchResults = ({ app }: { app: Database }): BatchResults => {
  /** The results of items, in their order, up to the first that does not fit any more. */
  const resultsOf = async (
    org: string,
    items: readonly ItemRow[],
  ): Promise<{ results: WireResult[]; isCut: boolean }> => {
    const ids = items.flatMap(({ run_id }) => (run_id === null ? [] : [run_id]))
    const { outcomes, isCut } = await listOutcomes(app, org, { ids, maxBytes: limits.pageBytes })
    const byRun = new Map(outcomes.map((outcome) => [outcome.id, outcome]))
    const end = items.findIndex(({ run_id }) => run_id !== null && !byRun.has(run_id))
    const fitting = end < 0 ? items : items.slice(0, end)
    return { results: fitting.map((item) => toWireResult(item, byRun.get(item.run_id ?? '') ?? null)), isCut }
  }

  return {
    list: async ({ org_id: org, id: batchId }, page) => {
      const rows = await listItems(app, org, {
        batchId,
        after: page.after === undefined ? null : Number(page.after),
        before: page.before === undefined ? null : Number(page.before),
        limit: pageSize(page) + 1,
      })
      const { results, isCut } = await resultsOf(org, rows)
      return toList(results, page, { isCut })
    },
    export: async function* ({ org_id: org, id: batchId }) {
      for (let after = -1; ; ) {
        const rows = await listItems(app, org, { batchId, after, before: null, limit: itemsPerExportPage })
        const { results } = await resultsOf(org, rows)
        for (const result of results) yield `${JSON.stringify(result)}\n`
        const last = results.at(-1)
        if (!last) return
        after = Number(last.id)
      }
    },
  }
}
