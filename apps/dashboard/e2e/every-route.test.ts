import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { type Everything, everythingEnv, makeEverything } from './everything.ts'
import { paths } from './routes.ts'
import { settled, type Visit } from './visit.ts'

/** What a page needs besides its path. */
const queries: Readonly<Record<string, (everything: Everything) => string>> = {
  '/runs/compare': ({ runId }) => `?a=${runId}&b=${runId}`,
  '/agents/$agentId/versions': () => '?from=1&to=2',
  '/pipelines/new': () => '?example=approval-chain',
  '/pipelines/$pipelineId/versions': () => '?from=1&to=2',
  '/pipeline-runs/$pipelineRunId': () => '?step=each',
  '/policies/$policyId/trials': ({ trialId }) => `?trial=${trialId}`,
  '/invitation': () => '#token=unknown',
  '/password-reset': () => '#token=unknown',
  '/email-proof': () => '#token=unknown',
  '/shared': ({ runId, shareToken }) => `#run=${runId}&token=${shareToken}`,
}

let dashboard: Dashboard
let everything: Everything
let visit: Visit
beforeAll(async () => {
  dashboard = await startDashboard({ env: everythingEnv() })
  everything = await makeEverything(dashboard)
  visit = await dashboard.visit({ as: 'owner' })
})
afterAll(() => dashboard?.stop())

test('the paths are read from the routes', () => {
  expect(paths.length).toBeGreaterThan(30)
  expect(paths).toContain('/webhooks/$webhookId/deliveries/$deliveryId')
})

test.each([...paths, '/nowhere'])('%s is accessible in both themes, has a title, fits a small screen', async (path) => {
  const { page } = visit
  await page.setViewportSize({ width: 1_440, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
  await visit.open(addressOf(path))
  const faults: string[] = []
  const titles = await page.locator('h1').allTextContents()
  if (titles.length !== 1) faults.push(`headings: ${titles.join(', ')}`)
  if (!/^.+ · Agent Run Service$/.test(await page.title())) faults.push(`title: ${await page.title()}`)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(transitionsEnd)
    for (const violation of await visit.violations()) faults.push(`${colorScheme}: ${violation}`)
  }
  // A window of 720 px is what remains of 1,440 px at a zoom of 200 %.
  for (const width of [720, 320]) {
    await page.setViewportSize({ width, height: 640 })
    await settled(page)
    for (const wide of await page.evaluate(widerThanPage)) faults.push(`${width} px: ${wide}`)
  }
  expect([...faults, ...visit.takeProblems()]).toEqual([])
})

/** On a busy machine a colour may still be that of the other theme. */
const transitionsEnd = async () => {
  const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition)
  await Promise.allSettled(transitions.map(({ finished }) => finished))
}

const addressOf = (path: string): string => {
  const named = path.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const id = everything[name as keyof Everything]
    if (id === undefined) throw new Error(`${path} needs a ${name}: add it to e2e/everything.ts`)
    return id
  })
  return named + (queries[path]?.(everything) ?? '')
}

/** The page, and the elements that stick out, if it scrolls sideways. Tables and code scroll inside themselves. */
const widerThanPage = (): string[] => {
  const scrolled = [document.documentElement, ...document.querySelectorAll('main')].filter(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1,
  )
  return scrolled.map((element) => {
    const edge = element.getBoundingClientRect().left + element.clientWidth
    const wide = [...element.querySelectorAll('*')].filter((inner) => inner.getBoundingClientRect().right > edge + 1)
    const words = wide.slice(0, 3).map((inner) => inner.outerHTML.slice(0, 160))
    return `<${element.localName}> has ${element.scrollWidth} px: ${words.join(' | ')}`
  })
}
