import { waitFor } from '../../lab/condition.ts'
import { countStatements, type StatementCost } from '../../lab/measure/statements.ts'
import { tell } from '../../lab/report/progress.ts'
import type { BackgroundOptions } from './options.ts'
import type { Subject } from './subject.ts'

export type FanOutFigures = {
  items: number
  seconds: number
  /** Of the statements that read or write pipelines. */
  callsPerItem: number
  msPerItem: number
  /** Of all statements of the service. */
  slowest: Pick<StatementCost, 'text' | 'maxMs'> | undefined
}

const maxMinutes = 20

/** One step with many items, measured by what the database says of the statements. */
export const measureFanOut = async (subject: Subject, { fanOuts }: BackgroundOptions): Promise<FanOutFigures[]> => {
  const { own, superuserUrl } = subject
  const steps = [
    {
      key: 'each',
      agent_id: own.agentId('test-echo'),
      for_each: 'input.list',
      max_parallel: 20,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a placeholder of a pipeline
      input: { query: 'item ${{ item }}' },
    },
  ]
  const body = { name: 'Fan-out', definition: { steps } }
  const { id } = await own.ask<{ id: string }>({ method: 'POST', path: '/v2/pipelines', body })
  const counter = await countStatements(superuserUrl)
  try {
    const figures: FanOutFigures[] = []
    // The first one plans statements and fills caches.
    for (const items of [10, ...fanOuts]) {
      await counter.reset()
      const beganMs = performance.now()
      await runOnce(subject, id, items)
      const seconds = (performance.now() - beganMs) / 1_000
      const costs = await counter.read({ limit: 1_000 })
      const own = costs.filter(({ text }) => /\bpipeline_(?:heads|items|steps|runs|waits)\b/.test(text))
      const sum = (of: (cost: StatementCost) => number): number => own.reduce((total, cost) => total + of(cost), 0)
      const slowest = costs.toSorted((a, b) => b.maxMs - a.maxMs)[0]
      figures.push({
        items,
        seconds,
        callsPerItem: sum(({ calls }) => calls) / items,
        msPerItem: sum(({ planMs, runMs }) => planMs + runMs) / items,
        slowest,
      })
      tell(`${items} items in ${seconds.toFixed(1)} s; slowest statement ${slowest?.maxMs.toFixed(1)} ms`)
    }
    return figures.slice(1)
  } finally {
    await counter.close()
  }
}

const runOnce = async ({ own }: Subject, pipelineId: string, items: number): Promise<void> => {
  const input = { list: Array.from({ length: items }, (_, n) => n) }
  const path = `/v2/pipelines/${pipelineId}/runs`
  const { id } = await own.ask<{ id: string }>({ method: 'POST', path, body: { input } })
  const ended = await waitFor(
    `a fan-out of ${items} items`,
    async () => {
      const run = await own.ask<{ status: string }>({ method: 'GET', path: `/v2/pipeline-runs/${id}` })
      return run.status !== 'running' && run
    },
    { timeoutMs: 60_000 * maxMinutes, everyMs: 1_000 },
  )
  if (ended.status !== 'completed') throw new Error(`the fan-out of ${items} items is ${ended.status}`)
}
