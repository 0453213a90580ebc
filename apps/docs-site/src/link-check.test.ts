import { expect, test } from 'vitest'
import { findBrokenLinks } from './link-check.ts'
import type { SiteFiles } from './strict-html.ts'

const check = (files: Record<string, string>): string[] => {
  const texts: SiteFiles = new Map(Object.entries(files))
  return findBrokenLinks(new Set([...texts.keys(), 'icon.svg']), texts)
}

const runs = { 'guides/runs/index.html': '<h2 id="cancel-a-run">Cancel</h2>' }

test('links to pages, headings, files, the gateway and other hosts are right', () => {
  const index = `<a href="/docs/guides/runs/#cancel-a-run">x</a><a href="#top" id="top">x</a><img src="/docs/icon.svg">
    <a href="/docs/api#runs.create">x</a><a href="/openapi.json">x</a><a href="https://example.com/">x</a>`
  expect(check({ ...runs, 'index.html': index, 'index.md': '[x](/docs/index.md) [y](/openapi.json)' })).toEqual([])
})

test.each([
  ['<a href="/docs/guides/run/">x</a>', '/docs/guides/run/ does not exist'],
  ['<a href="/docs/guides/runs/#cancel">x</a>', '/docs/guides/runs/#cancel has no such heading'],
  ['<a href="#top">x</a>', '#top has no such heading'],
  ['<a title="a > b" href="/docs/none.md">x</a>', '/docs/none.md does not exist'],
  ['<img alt="" src="/docs/none.webp">', '/docs/none.webp does not exist'],
  ['<a href="../reference/errors.md">x</a>', '../reference/errors.md is relative'],
  ['<a href="/guides/runs/">x</a>', '/guides/runs/ does not exist'],
  ['<script src="https://cdn.example/a.js"></script>', 'https://cdn.example/a.js is loaded from another host'],
  ['<link rel="stylesheet" href="//cdn.example/a.css">', '//cdn.example/a.css is loaded from another host'],
])('%s is broken', (html, problem) => {
  expect(check({ ...runs, 'index.html': html })).toEqual([`index.html: ${problem}`])
})

test('a Markdown twin that leads nowhere is broken', () => {
  expect(check({ 'guides/runs.md': '[x](/docs/guides/none.md#a)' })).toEqual([
    'guides/runs.md: /docs/guides/none.md does not exist',
  ])
})
