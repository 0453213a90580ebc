import { sizeOf } from '../../lab/options.ts'
import { keepOutcome } from '../../lab/report/keep.ts'
import { loadAverage, printReport, tell } from '../../lab/report/progress.ts'
import { withPortBlock } from '../../lab/stack/port-block.ts'
import { openBrowser } from './browser.ts'
import { type Figure, outcomeOf, printValue, verdictOf } from './figures.ts'
import {
  measureBuild,
  measureColdLoads,
  measureDeltas,
  measureInteractions,
  measureLargeText,
  measureLongList,
  measurePages,
  measureThousandRuns,
} from './measure.ts'
import { type DashboardOptions, readDashboardOptions } from './options.ts'
import { type DashboardMetrics, dashboardReport } from './report.ts'
import { startDashboardSubject } from './subject.ts'

export { dashboardHelp } from './options.ts'

export const benchDashboard = async (args: readonly string[]): Promise<boolean> => {
  const options = readDashboardOptions(args)
  return withPortBlock(options.base, async (base) => {
    const metrics = await measure(options, base)
    printReport(dashboardReport(metrics))
    keepOutcome({ proof: 'bench-dashboard', size: sizeOf(options), outcome: outcomeOf(metrics) })
    return metrics.figures.every((figure) => verdictOf(figure) === 'within')
  })
}

const measure = async (options: DashboardOptions, base: number): Promise<DashboardMetrics> => {
  const startedAt = new Date()
  tell(`Starting the stack and writing ${options.runs.toLocaleString('en')} runs`)
  const subject = await startDashboardSubject(options, base)
  const browser = await openBrowser()
  try {
    const before = loadAverage()
    const place = { browser, subject }
    const figures: Figure[] = []
    const part = async (words: string, work: () => Promise<Figure[]>): Promise<void> => {
      tell(words)
      const found = await work()
      for (const figure of found) tell(`  ${figure.what}: ${printValue(figure)} of ${figure.most}`)
      figures.push(...found)
    }
    await part('Cold loads of /runs', () => measureColdLoads(place, options.samples))
    await part('What other places load on top', async () => measureBuild(place))
    await part('A list of 1,000 runs', () => measureThousandRuns(place))
    tell('Every page')
    const pages = await measurePages(place)
    tell('Interactions')
    const interactions = await measureInteractions(place)
    figures.push(slowestPage(pages), slowestInteraction(interactions))
    await part('A text of 5 MB', () => measureLargeText(place))
    await part(`${options.deltas} deltas`, () => measureDeltas(place, options.deltas))
    await part(`A list of ${options.scrolledRuns.toLocaleString('en')} runs`, () =>
      measureLongList(place, options.scrolledRuns),
    )
    const load = [before, loadAverage()] as const
    return { options, startedAt, browser: browser.version(), load, figures, pages, interactions }
  } finally {
    await browser.close()
    await subject.stop()
  }
}

const slowestPage = (pages: DashboardMetrics['pages']): Figure => {
  const [worst] = pages.toSorted((a, b) => b.longestMs - a.longestMs)
  const shape = { what: 'longest task of any page', unit: 'ms', most: 200 } as const
  return { ...shape, value: worst?.longestMs ?? 0, note: worst && worst.longestMs > 0 ? `\`${worst.path}\`` : '' }
}

const slowestInteraction = (interactions: DashboardMetrics['interactions']): Figure => {
  const [worst] = interactions.toSorted((a, b) => b.ms - a.ms)
  const shape = { what: 'slowest interaction (INP)', unit: 'ms', most: 200 } as const
  return { ...shape, value: worst?.ms ?? 0, note: worst?.what ?? '' }
}
