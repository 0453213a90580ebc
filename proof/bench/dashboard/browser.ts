import { findBinary } from '@ars/tools/dev/parts/binary'
import { PartError } from '@ars/tools/dev/parts/part'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { countElements, drawn, idle, takeWatch, watchPage } from './page-script.ts'

/** What the page tells about itself, kept by a script that runs before its own. */
export type Watch = { longestMs: number; slowestMs: number; lcpMs: number }

/** A tab of the person, with the counters of the browser. */
export type Tab = {
  page: Page
  /** Compressed bytes on the wire since the last call, by kind. */
  takeBytes(): Record<'code' | 'fonts', number>
  /** What the page did since the last call. */
  takeWatch(): Promise<Watch>
  /** Elements in the document, and the heap after a collection, in bytes. */
  memory(): Promise<{ elements: number; heapBytes: number }>
  /** Milliseconds of work of the main thread since the page was opened. */
  busyMs(): Promise<number>
  /** Opens an address and waits until its page is drawn. */
  open(path: string): Promise<void>
  close(): Promise<void>
}

export const openBrowser = (): Promise<Browser> => {
  const executablePath = findBinary(['chromium', 'chromium-browser', 'google-chrome'])
  if (executablePath === undefined) throw new PartError('The bench needs Chromium: apt-get install chromium')
  return chromium.launch({ executablePath, args: ['--disable-gpu', '--enable-precise-memory-info'] })
}

/** A browser that has never seen the page: nothing is cached. */
export const openTab = async (browser: Browser, url: string, token: string): Promise<Tab> => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1_440, height: 900 } })
  context.setDefaultTimeout(120_000)
  await context.addCookies([{ name: '__Host-ars_session', value: token, url, secure: true, httpOnly: true }])
  await context.addInitScript({ content: watchPage })
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable')
  await cdp.send('Network.enable')
  return tabOf({ context, page, cdp, url })
}

const tabOf = (opened: { context: BrowserContext; page: Page; cdp: CDPSession; url: string }): Tab => {
  const { context, page, cdp, url } = opened
  const kinds = new Map<string, 'code' | 'fonts'>()
  let bytes = { code: 0, fonts: 0 }
  cdp.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script' || type === 'Stylesheet') kinds.set(requestId, 'code')
    if (type === 'Font') kinds.set(requestId, 'fonts')
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId)
    if (kind) bytes[kind] += encodedDataLength
  })
  const metric = async (name: string): Promise<number> => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return metrics.find((each) => each.name === name)?.value ?? Number.NaN
  }
  return {
    page,
    takeBytes: () => {
      const taken = bytes
      bytes = { code: 0, fonts: 0 }
      return taken
    },
    takeWatch: () => page.evaluate<Watch>(takeWatch),
    memory: async () => {
      await cdp.send('HeapProfiler.collectGarbage')
      const elements = await page.evaluate<number>(countElements)
      return { elements, heapBytes: await metric('JSHeapUsedSize') }
    },
    busyMs: async () => 1_000 * (await metric('TaskDuration')),
    open: async (path) => {
      await page.goto(url + path)
      await page.locator('h1').first().waitFor()
      await page.evaluate(drawn)
      await page.evaluate(idle)
    },
    close: () => context.close(),
  }
}
