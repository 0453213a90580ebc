import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type App, freePort, sharedGateway } from './app.ts'
import { openChromium } from './browser/chromium.ts'

// The documentation shares its origin with the dashboard, so that a script in it would act for the person who is logged in.
const repositoryDir = join(import.meta.dirname, '../../..')
const site = join(repositoryDir, 'apps/docs-site')
const folder = join(site, 'dist')
const buildMs = 600_000

let app: App
let browser: Browser
let foreign: Server
let foreignUrl = ''
/** Paths of the built files below `/docs/`. */
let names: string[] = []

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['build.ts'], {
    cwd: site,
    // Without the settings of Vitest, of which BASE_URL would move the site.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: 'true' },
    maxBuffer: 64 * 1024 * 1024,
  })
  names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile() && !name.endsWith('.br'))
    .sort()
  app = await sharedGateway({ ARS_DOCS_DIR: folder })
  browser = await openChromium()
  const port = await freePort()
  foreign = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><p>'))
  await new Promise<void>((resolve) => foreign.listen(port, '127.0.0.1', resolve))
  foreignUrl = `http://127.0.0.1:${port}`
}, buildMs)
afterAll(async () => {
  await browser?.close()
  foreign?.close()
  await app?.stop()
})

type Visit = { page: Page; problems: string[] }

declare global {
  // What the planted markup would set.
  var taken: unknown
}

/** A page whose problems are kept: violations of the policy, errors, failed requests and requests to other hosts. */
const open = async (): Promise<Visit> => {
  const context: BrowserContext = await browser.newContext({ ignoreHTTPSErrors: true })
  onTestFinished(() => context.close())
  const problems: string[] = []
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${page.url()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(app.url)) problems.push(`${page.url()}: asks ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.url()}: ${response.status()}`)
  })
  return { page, problems }
}

const pagesOf = (): string[] =>
  names
    .filter((name) => name.endsWith('index.html'))
    .map((name) => `/docs/${name.replace(/index\.html$/, '')}`)
    // A page of an old address is answered with 301.
    .filter((path) => !Object.keys(JSON.parse(readFileSync(join(folder, 'moved.json'), 'utf8'))).includes(path))

/** What runs in the page. It is text, because these tests are compiled without the types of a browser. */
const inPage = {
  look: `({
    scripts: [...document.scripts].filter(({ src, type }) => src === '' && type !== 'application/ld+json').length,
    handlers: [...document.querySelectorAll('*')].filter((each) => each.getAttributeNames().some((name) => name.startsWith('on'))).length,
    links: [...document.querySelectorAll('a')].map(({ href }) => href),
  })`,
  load: `async (urls) => {
    const load = (tag, src) => new Promise((resolve) => {
      const element = document.createElement(tag)
      element.onload = () => resolve('loaded')
      element.onerror = () => resolve('refused')
      element.src = src
      document.body.append(element)
    })
    const read = (url) => fetch(url, { mode: 'cors' }).then(() => 'read', () => 'refused')
    return [await load('script', urls.script), await load('img', urls.picture), await read(urls.page), await read(urls.twin)]
  }`,
  frame: `(url) => {
    const frame = document.createElement('iframe')
    frame.src = url
    document.body.append(frame)
    return new Promise((resolve) => frame.addEventListener('load', resolve))
  }`,
}

const isTaken = (page: Page) => page.evaluate(() => globalThis.taken !== undefined)

describe('the built documentation site in a browser', () => {
  test('every page loads without a violation of its policy, an error, or a request to another host', async () => {
    const { page, problems } = await open()
    const paths = pagesOf()
    expect(paths.length).toBeGreaterThan(100)
    const seen = new Set<string>()
    for (const path of paths) {
      await page.goto(app.url + path, { waitUntil: 'load' })
      const found = await page.evaluate<{ scripts: number; handlers: number; links: string[] }>(inPage.look)
      expect({ path, scripts: found.scripts, handlers: found.handlers }).toEqual({ path, scripts: 0, handlers: 0 })
      for (const link of found.links) seen.add(link)
    }
    expect(problems).toEqual([])
    expect([...seen].filter((link) => !/^https:\/\//.test(link))).toEqual([])
    for (const link of new Set(
      [...seen].filter((each) => each.startsWith(app.url)).map((each) => each.split('#', 1)[0] ?? ''),
    )) {
      const { pathname, search } = new URL(link)
      const answer = await app.call('GET', pathname + search, { key: null, headers: { accept: 'text/html' } })
      expect({ link, status: answer.status }).toEqual({ link, status: expect.toBeOneOf([200, 301, 302]) })
    }
  }, 600_000)

  test('no text that is searched for, stands in the address or is stored becomes markup', async () => {
    const { page, problems } = await open()
    const markup = `<img src=x onerror="globalThis.taken=1"><svg onload="globalThis.taken=2"></svg><script>globalThis.taken=3</script>`
    await page.goto(`${app.url}/docs/?q=${encodeURIComponent(markup)}#${encodeURIComponent(markup)}`)
    await page.evaluate((text) => {
      for (const key of ['starlight-theme', 'starlight-synced-tabs']) localStorage.setItem(key, text)
      sessionStorage.setItem('sl-sidebar-state', text)
    }, markup)
    await page.reload()
    await page
      .getByRole('button', { name: /search/i })
      .first()
      .click()
    const box = page.locator('dialog input')
    await box.waitFor()
    const results = page.locator('.pagefind-ui__result')
    for (const text of [
      markup,
      `"><script>globalThis.taken=4</script>`,
      'javascript:globalThis.taken=5',
      '%3Cimg%3E',
      '\u0000\ud800',
    ]) {
      await box.fill(text)
      await page.locator('.pagefind-ui__message').filter({ hasText: /\S/ }).waitFor()
    }
    // Pages that show markup in their text: an excerpt must show it as text, too.
    for (const word of ['script', 'idempotency', 'html']) {
      await box.fill(word)
      await results.first().waitFor()
      expect(await page.locator('.pagefind-ui__results script, .pagefind-ui__results img[onerror]').count()).toBe(0)
      const links = await page
        .locator('.pagefind-ui__result a')
        .evaluateAll((all) => all.map((each) => String(Reflect.get(each, 'href'))))
      expect(links.filter((link) => !link.startsWith(`${app.url}/docs/`))).toEqual([])
    }
    expect(await isTaken(page)).toBe(false)
    await results.first().locator('a').first().click()
    await page.waitForURL(`${app.url}/docs/**`)
    // The stored theme is part of a selector of Starlight, which is then not valid. Only the site itself writes this storage.
    expect(problems.filter((problem) => !problem.includes('is not a valid selector'))).toEqual([])
  })

  test('another origin can neither frame a page nor load a file, and an opened page does not know its opener', async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const script = names.find((name) => /^_astro\/.*\.js$/.test(name)) ?? ''
    const picture = names.find((name) => /^screens\/.*\.webp$/.test(name)) ?? ''
    await page.goto(foreignUrl)
    const urls = {
      script: `${app.url}/docs/${script}`,
      picture: `${app.url}/docs/${picture}`,
      page: `${app.url}/docs/`,
      twin: `${app.url}/docs/llms.txt`,
    }
    const loads = await page.evaluate<string[]>(`(${inPage.load})(${JSON.stringify(urls)})`)
    expect(loads).toEqual(['refused', 'refused', 'refused', 'refused'])
    await page.evaluate(`(${inPage.frame})(${JSON.stringify(urls.page)})`)
    const [framed] = page.frames().slice(1)
    expect(await framed?.evaluate<boolean>("document.querySelector('main') === null")).toBe(true)
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`void window.open(${JSON.stringify(urls.page)})`),
    ])
    await opened.waitForLoadState()
    expect(await opened.evaluate<boolean>('window.opener === null')).toBe(true)
  })

  test('every file has a type that no browser executes by accident, the headers of the site, and nothing of the computer that built it', async () => {
    const types = new Map<string, Set<string>>()
    for (const name of names) {
      const answer = await app.call('GET', `/docs/${name.split('/').map(encodeURIComponent).join('/')}`, { key: null })
      const type = String(answer.headers['content-type'] ?? `status ${answer.status}`)
      const ending = name.slice(name.lastIndexOf('.'))
      if (answer.status !== 301) types.set(ending, (types.get(ending) ?? new Set()).add(type))
      expect({ name, ...answer.headers }).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cross-origin-resource-policy': 'same-origin',
      })
      expect({ name, cookie: answer.headers['set-cookie'] }).toEqual({ name, cookie: undefined })
    }
    const html = [...types].filter(([, of]) => [...of].some((type) => /html|xml/.test(type))).map(([ending]) => ending)
    expect(html.toSorted()).toEqual(['.html', '.svg', '.xml'].filter((ending) => types.has(ending)))
    for (const [ending, of] of types) expect({ ending, types: of.size }).toEqual({ ending, types: 1 })
    // A twin is text, whatever stands in it.
    expect([...(types.get('.md') ?? [])]).toEqual(['text/markdown; charset=utf-8'])
    expect(names.filter((name) => /(^|\/)\.|\.map$|\.env|\.pem$|\.tsx?$/.test(name))).toEqual([])
    for (const name of names.filter((each) => /\.(html|js|css|md|txt|json)$/.test(each))) {
      const text = readFileSync(join(folder, name), 'utf8')
      expect({
        name,
        told:
          text.includes(repositoryDir) ||
          (text.includes(process.env.HOME ?? '\0') && (process.env.HOME ?? '').length > 6),
      }).toEqual({ name, told: false })
    }
  }, 300_000)
})
