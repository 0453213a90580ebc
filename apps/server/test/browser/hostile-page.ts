import type { BrowserContext, Frame, Page } from 'playwright-core'
import { until } from '../app.ts'
import { type Attack, attacksOn, type Target, ways } from './attacks.ts'

/** A page of another origin that is open in the visitor's browser. */
export type HostilePage = {
  /** Tries each target in each way. `seen` is everything that the page could read of the responses. */
  attackInAllWays(baseUrl: string, targets: readonly Target[]): Promise<{ attacks: Attack[]; seen: string[] }>
  frame: Frame
  /**
   * The allowed readers, from all responses of the service to requests of this page, including those that the browser
   * withholds.
   */
  letIn: string[]
  close(): Promise<void>
}

type Attacker = { perform(way: string, attacks: readonly Attack[]): void; harvest(): Promise<string[]> }

export const openHostilePage = async (context: BrowserContext, url: string): Promise<HostilePage> => {
  const page = await context.newPage()
  const answered = watchRequests(context)
  await page.goto(url)
  const frame = page.frames().at(-1) as Frame
  await frame.waitForFunction(() => 'attacker' in globalThis)

  const attack = async (way: string, attacks: readonly Attack[]): Promise<string[]> => {
    answered.length = 0
    const expected = attacks.map(({ method, url: target }) => `${method} ${target}`)
    await frame.evaluate(
      ([name, requests]) => (globalThis as unknown as { attacker: Attacker }).attacker.perform(name, requests),
      [way, attacks] as const,
    )
    await until(`all requests by way of ${way}`, async () =>
      expected.every((request) => countOf(request, answered) >= countOf(request, expected)),
    )
    await Promise.all(context.pages().map((open) => open.waitForLoadState()))
    return frame.evaluate(() => (globalThis as unknown as { attacker: Attacker }).attacker.harvest())
  }

  return {
    frame,
    letIn: await watchGrants(context, frame),
    attackInAllWays: async (baseUrl, targets) => {
      const all: Attack[] = []
      const seen: string[] = []
      for (const way of ways) {
        const attacks = attacksOn(baseUrl, way, targets)
        all.push(...attacks)
        for (const text of await attack(way.name, attacks)) seen.push(`${way.name}: ${text}`)
      }
      return { attacks: all, seen }
    },
    close: async () => {
      context.removeAllListeners()
      await page.close()
    },
  }
}

/** The requests that the browser has sent and got a response to, or refused to send. */
const watchRequests = (context: BrowserContext): string[] => {
  const answered: string[] = []
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    context.on(end as 'requestfinished', (request) => answered.push(`${request.method()} ${request.url()}`))
  }
  return answered
}

const countOf = (wanted: string, all: readonly string[]): number => all.filter((one) => one === wanted).length

/** Reads the raw headers, because the browser withholds a response that allows no origin. */
const watchGrants = async (context: BrowserContext, frame: Frame): Promise<string[]> => {
  const grants: string[] = []
  const page: Page = frame.page()
  const session = await context.newCDPSession(frame.parentFrame() ? frame : page)
  await session.send('Network.enable')
  session.on('Network.responseReceivedExtraInfo', ({ headers }) => {
    for (const [name, value] of Object.entries(headers)) {
      if (/^access-control-allow-(origin|credentials)$/i.test(name)) grants.push(`${name.toLowerCase()}: ${value}`)
    }
  })
  return grants
}
