import type { Run } from '@agent-run-service/sdk'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../server/test/app.ts'
import type { Dashboard } from './dashboard.ts'

/** Runs of the test agents, made through the API while a page shows them. */
export const runMaker = ({ app, client }: Dashboard) => {
  const agent = (name: string): string => app.tenant.agents[name] ?? ''
  return {
    agent,
    /** Accepts a run and does not wait for it. Returns its id. */
    begin: async (
      agentId: string,
      input: Record<string, unknown>,
      metadata: Record<string, string> = {},
    ): Promise<string> => {
      const request = { agent_id: agent(agentId) || agentId, input, metadata }
      return (await client.runs.create(request, { wait: false })).id
    },
    end: (id: string): Promise<Run> =>
      until(`the end of ${id}`, async () => {
        const run = await client.runs.get(id)
        return run.finished_at !== null && run
      }),
    asks: (id: string): Promise<unknown> =>
      until(`${id} to wait`, async () => (await client.runs.get(id)).status === 'requires_action'),
  }
}

export const badge = (page: Page, status: string) => page.locator('#main header').getByText(status, { exact: true })

/** The rows of the waterfall as a person sees them: number, name, retries, length, tokens, failure and place in time. */
export const rowsOf = (page: Page): Promise<string[]> =>
  page.locator('[data-bar]').evaluateAll((rows) =>
    rows.map((row) => {
      const bar = row.querySelector<HTMLElement>('span[style*=width]')
      const failed = row.querySelector('[aria-label=failed]') === null ? 'well' : 'failed'
      return [row.getAttribute('data-bar'), row.textContent, failed, bar?.style.left, bar?.style.width].join(' | ')
    }),
  )

/** Where a person presses a control, however the page changes afterwards. */
export const placeOf = async (control: Locator): Promise<[x: number, y: number]> => {
  const box = await control.boundingBox()
  if (!box) throw new Error('The control is not shown.')
  return [box.x + box.width / 2, box.y + box.height / 2]
}
