import AxeBuilder from '@axe-core/playwright'
import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Person } from './people.ts'

/** A browser of one person: its cookies and its tabs. */
export type Visit = {
  page: Page
  context: BrowserContext
  /** Opens a path of the dashboard, such as `/runs`, and waits until its page is drawn. */
  open(path: string): Promise<void>
  /** Another tab with the same cookies. */
  newTab(path: string): Promise<Page>
  /** What axe finds against WCAG 2.2 AA in the page as it is now. */
  violations(page?: Page): Promise<string[]>
  /** Fails if axe finds a violation of WCAG 2.2 AA in the page as it is now. */
  expectAccessible(page?: Page): Promise<void>
  /** Errors in the console, exceptions and violations of the content policy since the last call. A test may leave none. */
  takeProblems(): string[]
  close(): Promise<void>
}

export type VisitOptions = {
  /** Who is logged in. Nobody by default. */
  person?: Person
  theme?: 'light' | 'dark'
  width?: number
  height?: number
}

const sessionCookie = '__Host-ars_session'

export const openVisit = async (
  browser: Browser,
  url: string,
  { person, theme = 'light', width = 1_440, height = 900 }: VisitOptions,
): Promise<Visit> => {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width, height },
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(30_000)
  if (person)
    await context.addCookies([{ name: sessionCookie, value: person.token, url, secure: true, httpOnly: true }])
  const problems: string[] = []
  await context.addInitScript(reportViolations)
  context.on('page', (page) => watch(page, problems))
  const page = await context.newPage()

  return {
    page,
    context,
    open: (path) => goTo(page, url + path),
    newTab: async (path) => {
      const tab = await context.newPage()
      await goTo(tab, url + path)
      return tab
    },
    violations: (tab = page) => violationsOf(tab),
    expectAccessible: async (tab = page) => expect(await violationsOf(tab)).toEqual([]),
    takeProblems: () => problems.splice(0),
    close: () => context.close(),
  }
}

/** A page is drawn when it has its heading and nothing of it is loading. */
const goTo = async (page: Page, url: string): Promise<void> => {
  await page.goto(url)
  await settled(page)
}

export const settled = async (page: Page): Promise<void> => {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
}

const watch = (page: Page, problems: string[]): void => {
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefusal(message)) problems.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.stack ?? error.message}`))
}

/** Chromium writes a line for every response of status 4xx. The page shows these itself. */
const isRefusal = (message: ConsoleMessage): boolean =>
  /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())

const reportViolations = (): void =>
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, sample }) => {
    console.error(`securitypolicyviolation: ${effectiveDirective} ${blockedURI} ${sample} ${sourceFile}`)
  })

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Each broken rule with the elements that break it. */
const violationsOf = async (page: Page): Promise<string[]> => {
  // Without `setLegacyMode` it opens a second page, which frames would need. The dashboard has none.
  const { violations } = await new AxeBuilder({ page }).withTags(standards).setLegacyMode().analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary}`),
  )
}
