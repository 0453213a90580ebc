import { readFileSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { buildDashboard } from '@ars/tools/dev/dashboard-build'
import type { Browser, Page, Route } from 'playwright-core'
import { openChromium } from '../../../server/test/browser/chromium.ts'
import { albumOf } from './album.ts'
import { answerTo } from './answers.ts'
import { now } from './data/base.ts'
import { type Picture, pictures } from './pictures.ts'

/*
 * `pnpm --filter @ars/dashboard shots [expression]` takes the pictures of `docs/screens`: the built dashboard in a
 * real browser, with a fixed clock and invented responses, so that a picture changes only when its page does.
 */

const folder = join(import.meta.dirname, '../../../../docs/screens')
const origin = 'https://agents.northwind.example'
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const main = async (): Promise<void> => {
  const wanted = new RegExp(process.argv[2] ?? '')
  const built = await buildDashboard()
  const browser = await openChromium()
  await mkdir(folder, { recursive: true })
  try {
    const chosen = pictures.filter(({ file }) => wanted.test(file))
    for (const group of Map.groupBy(
      chosen,
      ({ world, address, look }) => `${world} ${address} ${schemeOf(look)}`,
    ).values()) {
      try {
        await take(browser, built, group)
      } catch (error) {
        process.exitCode = 1
        process.stderr.write(`${group.map(({ file }) => file).join(', ')}: ${(error as Error).message}\n`)
      }
    }
  } finally {
    await browser.close()
  }
  const known = new Set([...pictures.map(({ file }) => file), 'README.md'])
  for (const name of await readdir(folder)) if (!known.has(name)) await rm(join(folder, name))
  await writeFile(join(folder, 'README.md'), albumOf(pictures))
}

/** A page is opened for its colours: what changes them later is drawn step by step. */
const schemeOf = (look: Picture['look']): 'light' | 'dark' => (look === 'dark' ? 'dark' : 'light')

/** Pictures of one page, which is opened once. */
const take = async (browser: Browser, built: string, group: readonly Picture[]): Promise<void> => {
  const [first] = group
  if (!first) return
  const context = await browser.newContext({
    colorScheme: schemeOf(first.look),
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await page.clock.setFixedTime(now)
  let lastMs = performance.now()
  await context.route('**/*', async (route) => {
    lastMs = performance.now()
    const url = new URL(route.request().url())
    if (url.pathname.startsWith('/v2/')) await answer(route, url, first.world)
    else await route.fulfill(fileOf(built, url.pathname))
  })
  const session = await context.newCDPSession(page)
  try {
    await page.setViewportSize(sizes.wide)
    await page.goto(`${origin}/dashboard${first.address}`)
    for (const { file, look, act } of group) {
      await page.setViewportSize(look === 'narrow' ? sizes.narrow : sizes.wide)
      await drawn(page)
      await act?.(page)
      while (performance.now() - lastMs < quietMs) await page.waitForTimeout(quietMs / 2)
      await drawn(page)
      const clip = {
        x: 0,
        y: 0,
        ...sizes[look === 'narrow' ? 'narrow' : 'wide'],
        scale: look === 'narrow' ? 0.9 : 0.72,
      }
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 20, clip })
      await writeFile(join(folder, file), Buffer.from(data, 'base64'))
      process.stdout.write(`${file}\n`)
    }
  } finally {
    await context.close()
  }
}

const sizes = { wide: { width: 1_280, height: 800 }, narrow: { width: 400, height: 800 } } as const

/** A page that sent no request for this time is complete. */
const quietMs = 400

const answer = async (route: Route, url: URL, world: Picture['world']): Promise<void> => {
  const found = answerTo(route.request().method(), url, world)
  if (found === null) return
  // Without a wait between its attempts, the client gives up at once.
  await route.fulfill({ status: found.status, json: found.body, headers: { 'retry-after': '0' } })
}

const fileOf = (built: string, path: string): { body: Buffer; contentType: string } => {
  const name = path.replace(/^\/dashboard\/?/, '')
  const file = extname(name) === '' ? 'index.html' : name
  return { body: readFileSync(join(built, file)), contentType: types[extname(file)] ?? 'application/octet-stream' }
}

const drawn = async (page: Page): Promise<void> => {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
  await page.evaluate(() => document.fonts.ready)
}

await main()
