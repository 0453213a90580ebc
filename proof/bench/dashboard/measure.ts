import { judgeSizes } from '@ars/tools/dashboard-size/budgets'
import { readBuilt } from '@ars/tools/dashboard-size/built'
import type { Browser } from 'playwright-core'
import { median } from '../../lab/measure/statistics.ts'
import { openTab, type Tab } from './browser.ts'
import type { Figure } from './figures.ts'
import { scrollTo } from './page-script.ts'
import type { DashboardSubject } from './subject.ts'

type Place = { browser: Browser; subject: DashboardSubject }

const inTab = async <Result>({ browser, subject }: Place, work: (tab: Tab) => Promise<Result>): Promise<Result> => {
  const tab = await openTab(browser, subject.url, subject.rows.token)
  try {
    return await work(tab)
  } finally {
    await tab.close()
  }
}

/** What a browser loads that has never been here, and when the list is painted. */
export const measureColdLoads = async (place: Place, samples: number): Promise<Figure[]> => {
  const loads: { code: number; fonts: number; lcpMs: number }[] = []
  for (let n = 0; n < samples; n++) {
    loads.push(
      await inTab(place, async (tab) => {
        await tab.open('/runs')
        await firstRow(tab).waitFor()
        return { ...tab.takeBytes(), ...(await tab.takeWatch()) }
      }),
    )
  }
  const of = (name: 'code' | 'fonts' | 'lcpMs'): number => median(loads.map((load) => load[name]))
  const note = `median of ${samples}`
  return [
    { what: 'first load of /runs: scripts and styles', value: of('code') / 1_000, unit: 'KB', most: 150, note },
    { what: 'fonts of the first page', value: of('fonts') / 1_000, unit: 'KB', most: 90, note },
    { what: 'LCP of /runs, cold', value: of('lcpMs') / 1_000, unit: 's', most: 1, note: `${note}; fails at 1.5 s` },
  ]
}

/** What each place loads on top of the list of runs, by the files of the build. Of the other pages, the largest. */
export const measureBuild = ({ subject }: Place): Figure[] => {
  const figures = judgeSizes(readBuilt(subject.folder)).map(
    ({ what, bytes, maxBytes }): Figure => ({ what, value: bytes / 1_000, unit: 'KB', most: maxBytes / 1_000 }),
  )
  const isPage = ({ what }: Figure): boolean => what.startsWith('src/')
  const [largest] = figures.filter(isPage).toSorted((a, b) => b.value - a.value)
  const rest = figures.filter((figure) => !isPage(figure) && !/^(first load|fonts)/.test(figure.what))
  return [
    ...rest,
    ...(largest ? [{ ...largest, what: 'any other page, its own part', note: `\`${largest.what}\`` }] : []),
  ]
}

const firstRow = ({ page }: Tab) => page.locator('table tr[data-index="0"] a')

/** From the address to a list of which 1,000 runs are loaded and the first and the last can be walked with the keys. */
export const measureThousandRuns = (place: Place): Promise<Figure[]> =>
  inTab(place, async (tab) => {
    await tab.open('/runs')
    const begun = performance.now()
    await tab.page.goto(`${place.subject.url}/runs`)
    await firstRow(tab).focus()
    await tab.page.keyboard.press('ArrowDown')
    await tab.page.locator('tr[data-index="1"] a:focus').waitFor()
    const firstMs = performance.now() - begun
    const scrolled = performance.now()
    await tab.page.evaluate<number>(scrollTo(1_000))
    const moreMs = performance.now() - scrolled
    const note = `and ${(moreMs / 1_000).toFixed(1)} s of scrolling until 1,000 are loaded`
    return [{ what: 'list of 1,000 runs interactive, warm cache', value: firstMs / 1_000, unit: 's', most: 1, note }]
  })

/** A list with all its rows loaded: only the visible ones are drawn. */
export const measureLongList = (place: Place, rows: number): Promise<Figure[]> =>
  inTab(place, async (tab) => {
    await tab.open('/runs')
    await tab.takeWatch()
    const loaded = await tab.page.evaluate<number>(scrollTo(rows))
    const { longestMs } = await tab.takeWatch()
    const { elements, heapBytes } = await tab.memory()
    const what = `list of ${loaded.toLocaleString('en')} runs`
    return [
      { what: `${what}: elements`, value: elements, unit: 'elements', most: 1_500 },
      { what: `${what}: heap`, value: heapBytes / 1_000_000, unit: 'MB', most: 150 },
      { what: `${what}: longest task while it is loaded`, value: longestMs, unit: 'ms', most: 200 },
    ]
  })

/** A page whose data is large must stay usable. */
export const measureLargeText = (place: Place): Promise<Figure[]> =>
  inTab(place, async (tab) => {
    const { largeRunId, runId } = place.subject.rows
    await tab.open(`/runs/${runId}`)
    await tab.open(`/runs/${largeRunId}`)
    const { longestMs } = await tab.takeWatch()
    return [{ what: 'output of 5 MB: longest task', value: longestMs, unit: 'ms', most: 200 }]
  })

/** How busy a live run keeps the page. */
export const measureDeltas = (place: Place, deltas: number): Promise<Figure[]> =>
  inTab(place, async (tab) => {
    await tab.open(`/runs/${place.subject.rows.runId}`)
    const runId = await place.subject.stream(deltas, 3)
    await tab.page.goto(`${place.subject.url}/runs/${runId}`)
    await tab.page.locator('h1').first().waitFor()
    const [from, busyFrom] = [performance.now(), await tab.busyMs()]
    const streamedMs = await place.subject.streamedMs(runId)
    const [seenMs, busyMs] = [performance.now() - from, (await tab.busyMs()) - busyFrom]
    const { longestMs } = await tab.takeWatch()
    const perSecond = deltas / (streamedMs / 1_000)
    return [
      {
        what: `${deltas.toLocaleString('en')} deltas: main thread busy`,
        value: (100 * busyMs) / seenMs,
        unit: '%',
        most: 40,
        note: `${perSecond.toFixed(0)} a second, seen for ${(seenMs / 1_000).toFixed(1)} s`,
      },
      { what: 'the same: longest task', value: longestMs, unit: 'ms', most: 200 },
    ]
  })

export type PageFigures = { path: string; longestMs: number; elements: number }

/** Every page, opened anew with a warm cache. */
export const measurePages = (place: Place): Promise<PageFigures[]> =>
  inTab(place, async (tab) => {
    const figures: PageFigures[] = []
    for (const path of pathsOf(place.subject)) {
      await tab.open(path)
      await tab.open(path)
      const { longestMs } = await tab.takeWatch()
      const { elements } = await tab.memory()
      figures.push({ path: path.replace(/(run|ag|wh)_\w+/, '{id}'), longestMs, elements })
    }
    return figures
  })

const pathsOf = ({ rows: { runId, agentId, webhookId } }: DashboardSubject): string[] => [
  '/',
  '/runs',
  `/runs/${runId}`,
  '/approvals',
  '/playground',
  '/agents',
  '/agents/new',
  `/agents/${agentId}`,
  `/agents/${agentId}/edit`,
  `/agents/${agentId}/versions`,
  `/agents/${agentId}/releases`,
  '/catalog',
  '/connectors',
  '/webhooks',
  '/webhooks/new',
  `/webhooks/${webhookId}`,
  '/events',
  '/settings/api-keys',
  '/settings/members',
  '/settings/audit-log',
  '/settings/organisation',
  '/settings/profile',
  '/settings/sessions',
]

export type Interaction = { what: string; ms: number }

/** What people do most, each measured from the input to the frame that shows its effect. */
export const measureInteractions = (place: Place): Promise<Interaction[]> =>
  inTab(place, async (tab) => {
    const { page } = tab
    const found: Interaction[] = []
    const act = async (what: string, work: () => Promise<unknown>): Promise<void> => {
      await tab.takeWatch()
      await work()
      found.push({ what, ms: (await tab.takeWatch()).slowestMs })
    }
    await tab.open('/runs')
    await firstRow(tab).focus()
    await act('walk 30 rows with the arrow keys', async () => {
      for (let n = 0; n < 30; n++) await page.keyboard.press('ArrowDown')
    })
    await act('filter by status', () => page.getByRole('button', { name: 'Failed', exact: true }).click())
    await act('filter by status, off', () => page.getByRole('button', { name: 'Failed', exact: true }).click())
    const agents = page.getByLabel('Agent', { exact: true })
    await agents.hover()
    await act('open the list of agents', async () => {
      await agents.click()
      await page.keyboard.press('Escape')
    })
    await act('open the menu of columns', async () => {
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('menuitemcheckbox').first().waitFor()
    })
    await act('hide a column', () => page.getByRole('menuitemcheckbox').last().click())
    await page.keyboard.press('Escape')
    await act('open the palette', async () => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^A place/ }).waitFor()
    })
    await act('type the name of an agent into the palette', () => page.keyboard.type('agent 99', { delay: 30 }))
    await page.keyboard.press('Escape')
    await act('open a run', async () => {
      await page.locator('table tr[data-index] a').first().click()
      await page.getByRole('heading', { level: 1 }).waitFor()
    })
    await act('go to the agents', async () => {
      await page.getByRole('link', { name: 'Agents', exact: true }).click()
      await page.locator('tr[data-index="0"]').waitFor()
    })
    await act('search an agent', () => page.getByRole('searchbox').fill('Agent 99'))
    return found
  })
