import type { AgentRunService, Role } from '@agent-run-service/sdk'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { buildDashboard } from '@ars/tools/dev/dashboard-build'
import type { Browser } from 'playwright-core'
import { expect, onTestFinished, TestRunner } from 'vitest'
import { type App, startApp, type Tenant } from '../../server/test/app.ts'
import { openChromium } from '../../server/test/browser/chromium.ts'
import { sdkClient } from '../../server/test/sdk-client.ts'
import { addPerson, type Person } from './people.ts'
import { openVisit, type Visit, type VisitOptions } from './visit.ts'

/** The whole service with the built dashboard and a real browser. */
export type Dashboard = {
  app: App
  /** `https://localhost:…/dashboard`. */
  url: string
  /** A client with a key of the first organisation, to make what the pages show. */
  client: AgentRunService
  /** The member of the first organisation with this role, logged in. Made at the first call. */
  person(role: Role, tenant?: Tenant): Promise<Person>
  /** A browser of a person, or of nobody. Below a test it is closed at its end, which also fails if it had problems. */
  visit(options?: Omit<VisitOptions, 'person'> & { as?: Role | Person }): Promise<Visit>
  /** Moves the service's clock; the browser keeps its own. */
  moveClock(ms: number): Promise<void>
  stop(): Promise<void>
}

export const startDashboard = async (
  options: { env?: Record<string, string>; role?: 'all' | 'gateway' } = {},
): Promise<Dashboard> => {
  const folder = await buildDashboard()
  const [browser, app] = await Promise.all([
    openChromium(),
    startApp({ env: { ARS_DASHBOARD_DIR: folder, ...options.env }, role: options.role ?? 'all' }),
  ])
  const url = `${app.url}/dashboard`
  const people = new Map<string, Promise<Person>>()
  const visits = new Set<Visit>()

  const person = (role: Role, tenant: Tenant = app.tenant): Promise<Person> => {
    const key = `${tenant.org} ${role}`
    const found = people.get(key) ?? addPerson(app, tenant, role)
    people.set(key, found)
    return found
  }

  const close = async (visit: Visit): Promise<void> => {
    if (!visits.delete(visit)) return
    await visit.close()
    expect(visit.takeProblems()).toEqual([])
  }

  return {
    app,
    url,
    client: sdkClient(app),
    person,
    visit: async ({ as, ...rest } = {}) => {
      const who = typeof as === 'string' ? await person(as) : as
      const visit = await openVisit(browser, url, { ...rest, ...(who && { person: who }) })
      visits.add(visit)
      // The state of `expect` still has the last test of the file before, because files share a worker.
      if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => close(visit))
      return visit
    },
    moveClock: async (ms) => {
      await moveDatabaseClock(app.database.ownerUrl, ms)
    },
    stop: async () => {
      try {
        for (const visit of visits) await close(visit)
      } finally {
        await stop(browser, app)
      }
    },
  }
}

const stop = async (browser: Browser, app: App): Promise<void> => {
  await browser.close()
  await app.stop()
}
