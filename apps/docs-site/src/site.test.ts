import { expect, test } from 'vitest'
import { adaptLinks } from './links.ts'
import { movedPages, redirectFiles } from './moved-pages.ts'
import { sidebarOf } from './sidebar.ts'
import type { SitePage } from './site-page.ts'
import { readSitePages } from './site-pages.ts'
import { followRenamedStyles, separateScriptsAndStyles } from './strict-html.ts'
import { markdownTwins } from './twins.ts'

const page = (file: string, slug: string, body = ''): SitePage => ({ file, slug, title: slug, description: '', body })
const pages = [page('docs/guides/runs.md', 'guides/runs'), page('SECURITY.md', 'project/security')]
const byFile = new Map(pages.map((each) => [each.file, each]))

const adapt = (body: string, form: 'html' | 'markdown' = 'html') =>
  adaptLinks(page('docs/reference/api.md', 'reference/api', body), byFile, form)

test('links between files become links between pages', () => {
  expect(adapt('[Runs](../guides/runs.md#cancel-a-run)')).toBe('[Runs](/docs/guides/runs/#cancel-a-run)')
  expect(adapt('[Runs](../guides/runs.md)', 'markdown')).toBe('[Runs](/docs/guides/runs.md)')
  expect(adapt('[Security](../../SECURITY.md)')).toBe('[Security](/docs/project/security/)')
  expect(adapt('[![Light](../screens/a.webp)](../screens/a.webp)')).toBe(
    '[![Light](/docs/screens/a.webp)](/docs/screens/a.webp)',
  )
  expect(adapt('[document](../../packages/contract/openapi.json)')).toBe('[document](/openapi.json)')
  expect(adapt('[other](https://example.com/a) and [here](#here)')).toBe(
    '[other](https://example.com/a) and [here](#here)',
  )
})

test('a link to a file that is no page becomes its name, and code stays as it is', () => {
  expect(adapt('[the rules](../../deploy/rules.yml)')).toBe('the rules (`deploy/rules.yml`)')
  expect(adapt('```md\n[Runs](../guides/runs.md)\n```\n')).toBe('```md\n[Runs](../guides/runs.md)\n```\n')
})

test('a page keeps no script and no style', () => {
  const html = `<head></head><p style="color:red">style="kept"</p><script type="module" src="/docs/a.js"></script><script>run()</script>`
  const files = separateScriptsAndStyles(new Map([['index.html', html]]))
  const built = files.get('index.html') ?? ''
  expect(built).not.toMatch(/<[^>]* style=|<script[^>]*>[^<]/)
  expect(built).toContain('style="kept"')
  const named = [...built.matchAll(/"\/docs\/(_astro\/[^"]+)"/g)].map(([, name = '']) => files.get(name))
  expect(named.sort()).toEqual([expect.stringContaining('{color:red}'), 'run()'])
})

test('code keeps the colours of its words', () => {
  const html = `<head></head><code><span style="--0:#F97583;--1:#BF3441">const</span> <span style="--0:#79B8FF;--1:#005CC5">n</span></code>`
  const selector = (quote: string) => `span[style^=${quote}--${quote}]`
  const rule = `.expressive-code :where(${selector("'")}:not([class])){color:var(--0,inherit)}`
  const quoted = `${selector('"')},${selector('')}{color:var(--1)}`
  const built = separateScriptsAndStyles(new Map([['index.html', html]]))
  const styles = followRenamedStyles(
    new Map([
      ['_astro/ec.css', rule],
      ['_astro/other.css', quoted],
    ]),
  )
  const css = [...built, ...styles].flatMap(([path, text]) => (path.endsWith('.css') ? [text] : [])).join('\n')
  const names = [...(built.get('index.html') ?? '').matchAll(/<span data-style=.([\w-]{8})/g)].map(([, name]) => name)
  expect(new Set(names).size).toBe(2)
  for (const name of names) expect(css).toContain(`[data-style="${name}"]{--0:#`)
  expect(css).toContain('span[data-style]:not([class])){color:var(--0,inherit)}')
  expect(css).not.toContain('[style')
})

test('a rule that selects an attribute that no page has is refused', () => {
  expect(() => followRenamedStyles(new Map([['_astro/new.css', 'p[style*="color"]{}']]))).toThrow('_astro/new.css')
})

test('every page of the repository is in the sidebar and in llms.txt, and has a Markdown twin', () => {
  const all = readSitePages()
  const text = JSON.stringify(sidebarOf(all))
  const twins = markdownTwins(all)
  for (const { slug } of all) {
    expect(text).toContain(slug === 'index' ? '"/"' : `"/${slug}/"`)
    expect(twins.get('llms.txt')).toContain(`(/docs/${slug}.md)`)
    expect(twins.get(`${slug}.md`)).toMatch(/^# /)
  }
})

test('a page that no group names is refused', () => {
  const all = [page('docs/README.md', 'contents', '## Reference\n'), page('docs/odd.md', 'odd')]
  expect(() => sidebarOf(all)).toThrow('docs/odd.md is in no group')
})

test('every old address leads to a page, and is no page itself', () => {
  const all = readSitePages()
  const slugs = new Set(all.map(({ slug }) => slug))
  const pages = new Map([...redirectFiles()].filter(([name]) => name.endsWith('.html')))
  for (const [from, to] of Object.entries(movedPages)) {
    expect([from, slugs.has(from), slugs.has(to)]).toEqual([from, false, true])
    expect(pages.get(`${from}/index.html`)).toContain(`content="0;url=/docs/${to}/"`)
  }
  expect(pages.size).toBe(Object.keys(movedPages).length)
})

test('the table for the gateway has old and new addresses of pages and of their Markdown twins', () => {
  const table = JSON.parse(redirectFiles().get('moved.json') ?? '')
  expect(table).toMatchObject({
    '/docs/guides/install/': '/docs/operate/install/',
    '/docs/guides/install.md': '/docs/operate/install.md',
    '/docs/guides/operate/': '/docs/operate/',
  })
  expect(Object.keys(table)).toHaveLength(2 * Object.keys(movedPages).length)
})
