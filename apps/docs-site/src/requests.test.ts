import { expect, test } from 'vitest'
import { withRequests } from './requests.ts'
import type { SitePage } from './site-page.ts'
import { readSitePages } from './site-pages.ts'

const page = (body: string, file = 'docs/guides/a.md'): SitePage => ({
  file,
  slug: 'a',
  title: 'a',
  description: '',
  body,
})
const block = 'Send it:\n\n```sh\ncall /runs/run_1\n```\n\nThen read.\n'

test('a request has one tab for each language, and curl is open', () => {
  const { body } = withRequests(page(block), 'html')
  const tabs = [
    ...body.matchAll(/<input type="radio" name="(\S+)" id="(\S+)" value="(\w+)"( checked)?><label for="(\S+)">/g),
  ]
  expect(tabs.map(([, , , value, checked]) => [value, checked])).toEqual([
    ['curl', ' checked'],
    ['typescript', undefined],
    ['python', undefined],
    ['go', undefined],
  ])
  expect(new Set(tabs.map(([, name]) => name)).size).toBe(1)
  for (const [, , id, , , label] of tabs) expect(label).toBe(id)
  expect(body).toContain("```ts\nconsole.log(await client.runs.get('run_1'))\n```")
  expect(body).toContain('```python\nprint(client.runs.get("run_1"))\n```')
  expect(body.startsWith('Send it:\n\n<div class="requests"')).toBe(true)
  expect(body.endsWith('</div>\n\nThen read.\n')).toBe(true)
  expect(body).not.toContain('call /runs')
})

test('the Markdown twin keeps the block and has curl', () => {
  const { body } = withRequests(page(block), 'markdown')
  expect(body).toContain(
    '```sh\ncall /runs/run_1\n```\n\nWith curl and jq:\n\n```sh\ncurl -sS "$ARS_BASE_URL/runs/run_1"',
  )
  expect(body).not.toContain('<div')
})

test('a block that stays in the shell says where its functions are from', () => {
  const loop = '```sh\nfor n in 1 2; do call /runs; done\n```'
  expect(withRequests(page(`${block}${loop}`), 'html').body).toContain(
    `${loop}\n\nThis block uses the [functions](../README.md) that the settings of the service define.`,
  )
})

test('pages that are no tutorial and no guide stay as they are', () => {
  const other = page(block, 'docs/operate/install.md')
  expect(withRequests(other, 'html')).toBe(other)
})

test('no two groups of tabs of a page share a name', () => {
  for (const each of readSitePages()) {
    const groups = withRequests(each, 'html').body.split('<div class="requests"').slice(1)
    const names = groups.map((group) => /name="(\S+)"/.exec(group)?.[1])
    expect([each.file, new Set(names).size]).toEqual([each.file, groups.length])
  }
})
