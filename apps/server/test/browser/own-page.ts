import type { BrowserContext, Page } from 'playwright-core'

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked into by tests that say what they expect of it
export type Seen = { status: number; body: any }

/** A page of the service itself that is open in the visitor's browser. */
export type OwnPage = {
  page: Page
  ask(method: string, path: string, body?: unknown): Promise<Seen>
}

/**
 * Whatever the service answers is a page of its origin. The policy of these answers lets no program do anything there,
 * so it is switched off for this page: it then stands for one that has programs, such as a dashboard.
 */
export const openOwnPage = async (context: BrowserContext, url: string): Promise<OwnPage> => {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Page.setBypassCSP', { enabled: true })
  await page.goto(`${url}/livez`)
  return {
    page,
    ask: (method, path, body) =>
      page.evaluate(
        async ([verb, where, text]) => {
          const json = { headers: { 'content-type': 'application/json' }, body: text ?? null }
          const answer = await fetch(where, { method: verb, ...(text === undefined ? {} : json) })
          return { status: answer.status, body: await answer.json() }
        },
        [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
      ),
  }
}
