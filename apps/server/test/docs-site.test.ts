import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedGateway } from './app.ts'
import { folderOfFiles } from './folder-of-files.ts'
import { sendRaw } from './raw-socket.ts'

const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const built = {
  'index.html': '<!doctype html><title>docs</title>',
  'index.html.br': 'index in br',
  '404.html': '<!doctype html><title>no page</title>',
  'guides/runs/index.html': '<!doctype html><title>runs</title>',
  'guides/runs.md': '# Runs',
  'llms.txt': '# Agent Run Service',
  'screens/runs.webp': 'picture',
  '_astro/page.1a2b.js': 'script',
  'moved.json': JSON.stringify({
    '/docs/guides/old/': '/docs/operate/new/',
    '/docs/guides/old.md': '/docs/operate/new.md',
  }),
  'guides/old/index.html': 'a page for servers that only hand files out',
  'api/index.html': 'not the reference',
}

let app: App
let folder = ''
beforeAll(async () => {
  folder = folderOfFiles({ ...built, '.hidden': 'secret' })
  app = await sharedGateway({ ARS_DOCS_DIR: folder })
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.call(method, path, { key: null, headers })

describe('the documentation site', () => {
  test.each([
    ['/docs', built['index.html']],
    ['/docs/', built['index.html']],
    ['/docs/guides/runs/', built['guides/runs/index.html']],
    ['/docs/guides/runs?from=search', built['guides/runs/index.html']],
  ])('%s is a page, which a browser asks for again every time', async (path, text) => {
    const page = await get(path)
    expect([page.status, page.text]).toEqual([200, text])
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
    expect((await get(path, { 'if-none-match': page.headers.etag as string })).status).toBe(304)
  })

  test('other files have their types; those with a hash in the name are kept for a year', async () => {
    const facts = async (path: string) => {
      const { headers } = await get(path)
      return [headers['content-type'], headers['cache-control']]
    }
    expect(await facts('/docs/guides/runs.md')).toEqual(['text/markdown; charset=utf-8', 'no-cache'])
    expect(await facts('/docs/llms.txt')).toEqual(['text/plain; charset=utf-8', 'no-cache'])
    expect(await facts('/docs/screens/runs.webp')).toEqual(['image/webp', 'no-cache'])
    expect(await facts('/docs/_astro/page.1a2b.js')).toEqual([
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ])
    expect((await get('/docs/', { 'accept-encoding': 'br' })).text).toBe('index in br')
  })

  test('an unknown page is 404: a page for a browser, an error for a program', async () => {
    const page = await get('/docs/guides/nothing/', { accept: 'text/html' })
    expect([page.status, page.text, page.headers['cache-control']]).toEqual([404, built['404.html'], 'no-store'])
    const refused = await get('/docs/_astro/page.9z9z.js')
    expect([refused.status, refused.body.error.code]).toEqual([404, 'not_found'])
    expect((await get('/docs/', {}, 'POST')).status).toBe(404)
  })

  test.each([
    ['/docs/guides/old/', '/docs/operate/new/'],
    ['/docs/guides/old', '/docs/operate/new/'],
    ['/docs/guides/old/?from=search', '/docs/operate/new/?from=search'],
    ['/docs/guides/old.md', '/docs/operate/new.md'],
  ])('the old address %s of a page redirects to its new one', async (path, location) => {
    const answer = await get(path)
    expect([answer.status, answer.headers.location, answer.text]).toEqual([301, location, ''])
  })

  test.each([
    '/docs/../openapi.json',
    '/docs/..%2f..%2fetc%2fpasswd',
    '/docs/%2e%2e/%2e%2e/etc/passwd',
    '/docs/....//etc/passwd',
    '/docs//etc/passwd',
    '/docs/.hidden',
    '/docs/index.html.br',
    '/docs/llms.txt%00.md',
    '/docs/constructor',
    '/docs/__proto__',
  ])('%s names no file: the answer is 404', async (path) => {
    // Sent as written: an HTTP client would remove the dots.
    const answer = await sendRaw(app.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).error.code).toBe('not_found')
  })

  test('the reference and the errors of the installation stay where they are', async () => {
    expect((await get('/docs/api')).text).toContain('id="runs.create"')
    for (const path of ['/docs/api', '/docs/errors']) expect((await get(path)).text).toContain('<a href="/docs/">')
    expect((await get('/llms.txt')).text).toContain('/docs/llms.txt')
  })
})

test('without the site, /docs is an unknown path and the reference is served', async () => {
  const bare = await app.join('gateway', { ARS_DOCS_DIR: 'off' })
  const at = (path: string) => app.call('GET', path, { key: null, url: bare.url })
  for (const path of ['/docs', '/docs/', '/docs/guides/runs/']) expect((await at(path)).status).toBe(404)
  const reference = await at('/docs/api')
  expect([reference.status, reference.text.includes('<a href="/docs/">')]).toEqual([200, false])
  expect((await at('/llms.txt')).text).not.toContain('/docs/llms.txt')
})
