import { equal } from 'node:assert/strict'
import { chromium, type Page } from 'playwright-core'
import { waitFor } from '../lab/condition.ts'
import type { Serving } from './program-at.ts'
import { outcomeOf } from './sdk.ts'

const timeoutMs = 60_000

/** Opens the page of a program in Chromium, as soon as the program listens. */
export const onPage = async ({ port, output }: Serving, work: (page: Page) => Promise<void>): Promise<void> => {
  const url = `http://localhost:${port}/`
  await waitFor(`the page; the program says ${output()}`, async () => (await globalThis.fetch(url)).ok, { timeoutMs })
  const which = { program: 'which', args: ['chromium'], cwd: '/', env: process.env }
  const browser = await chromium.launch({ executablePath: (await outcomeOf(which)).output.trim() })
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(url)
    await work(page)
    equal(faults.join(), '')
  } finally {
    await browser.close()
  }
}
