import type { BrowserContext, Page } from 'playwright-core'

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the fields that they read
export type Seen = { status: number; body: any }

/** A page of the service's own origin that is open in the visitor's browser. */
export type OwnPage = {
  page: Page
  ask(method: string, path: string, body?: unknown): Promise<Seen>
}

/**
 * Every response of the service is a page of its origin. The policy of these responses permits no scripts, so it is
 * disabled for this page: it then stands for a page with scripts, such as a dashboard.
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
