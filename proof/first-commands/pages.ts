import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBinary } from '@ars/tools/dev/parts/binary'
import { repositoryDir } from '@ars/tools/dev/server'
import { type Browser, chromium } from 'playwright-core'
import { parsePage } from '../lab/page/block.ts'
import { openPageShell } from '../lab/page/page-shell.ts'

/** What a newcomer wants in the first hour, with the page that shows it. */
export const goals: readonly { goal: string; file: string }[] = [
  { goal: 'first run, stream, resume, approval', file: 'docs/tutorials/first-run.md' },
  { goal: 'agent with tools', file: 'docs/tutorials/first-agent.md' },
  { goal: 'stream and approval in a web page', file: 'docs/tutorials/first-page.md' },
  { goal: 'webhook received and verified', file: 'docs/tutorials/first-webhook.md' },
  { goal: 'kill it and watch', file: 'docs/tutorials/kill-it.md' },
  { goal: 'approval', file: 'docs/guides/actions.md' },
  { goal: 'schedule', file: 'docs/guides/schedules.md' },
  { goal: 'batch', file: 'docs/guides/batches.md' },
  { goal: 'pipeline', file: 'docs/guides/pipelines.md' },
  { goal: 'budget that refuses', file: 'docs/guides/budgets.md' },
  { goal: 'policy that blocks', file: 'docs/guides/policies.md' },
  { goal: 'key with limits', file: 'docs/guides/keys.md' },
  { goal: 'roll-back of a version', file: 'docs/guides/releases.md' },
]

export type Played = {
  goal: string
  file: string
  seconds: number
  blocks: number
  left: number
  fault: string | undefined
}

type Place = { cwd: string; env: NodeJS.ProcessEnv; settings: string }

/**
 * Executes the shell blocks of a page in an empty folder, as a visitor without a clone does: `settings` in place of the file of
 * a clone, and up to the first block that needs one.
 */
export const playPage = async ({ goal, file }: (typeof goals)[number], place: Place): Promise<Played> => {
  const { blocks } = parsePage(file, readFileSync(join(repositoryDir, file), 'utf8'))
  const runnable = blocks.filter(({ mode }) => mode !== 'skip' && mode !== 'proof')
  const end = runnable.findIndex(({ code }) => needsClone.test(code))
  const chosen = end < 0 ? runnable : runnable.slice(0, end)
  const scratch = join(place.cwd, '..', `blocks-${file.replaceAll(/\W/g, '-')}`)
  mkdirSync(scratch, { recursive: true })
  const shell = openPageShell({ cwd: place.cwd, env: place.env, scratch, blockLimitMs: 120_000 })
  const begun = performance.now()
  let fault: string | undefined
  try {
    for (const block of chosen) {
      const ran = await shell.run({ ...block, code: block.code.replaceAll('. .dev/env', place.settings) })
      if (ran.fault === undefined) continue
      fault = `${file}:${block.line}: ${ran.fault}\n${block.code}${ran.output.slice(-2_000)}`
      break
    }
    if (fault === undefined && file.endsWith('/first-page.md')) await useWebPage(place.env.PORT ?? '')
  } catch (error) {
    fault = String(error)
  } finally {
    await shell.close()
  }
  const seconds = (performance.now() - begun) / 1000
  return { goal, file, seconds, blocks: chosen.length, left: runnable.length - chosen.length, fault }
}

const needsClone = /\bpnpm |\bcatalog\/|\bsdks\//

/** The reader of the page approves, and sees the text while it is written. */
const useWebPage = async (port: string): Promise<void> => {
  const executablePath = findBinary(['chromium', 'chromium-browser', 'google-chrome'])
  if (executablePath === undefined) throw new Error('The web page needs Chromium: apt-get install chromium')
  const browser: Browser = await chromium.launch({ executablePath, args: ['--disable-gpu', '--no-sandbox'] })
  try {
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    await page.goto(`http://localhost:${port}/`)
    await page.getByRole('button', { name: 'approve' }).click()
    const text = page.locator('#text')
    await text.filter({ hasText: /^Dear/ }).waitFor()
    const partly = await text.textContent()
    await page.waitForFunction("document.title === 'Done'")
    const whole = (await text.textContent()) ?? ''
    if (!whole.endsWith('The refund was approved.')) throw new Error(`The page shows: ${whole}`)
    if (whole === partly) throw new Error('The text appeared at once')
  } finally {
    await browser.close()
  }
}
