import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { apiPages, type Document } from './api-pages.ts'
import { repositoryDir } from './site-pages.ts'

const document: Document = JSON.parse(readFileSync(join(repositoryDir, 'packages/contract/openapi.json'), 'utf8'))
const pages = apiPages(document)
const bodies = pages.map(({ body }) => body).join('\n')

describe('the API reference of the site', () => {
  test('has every operation and event once, with its path', () => {
    const paths = [...Object.values(document.paths), ...Object.values(document.webhooks ?? {})]
    const operations = paths.flatMap((item) => Object.values(item))
    expect(bodies.match(/^## (?!Types$)/gm)).toHaveLength(operations.length)
    expect(bodies).toContain('## Invoke an agent\n\n```http\nPOST /v2/runs\n```')
  })

  test('has every type that a page links to, on one page', () => {
    const linked = [...bodies.matchAll(/\[(\w+)\]\((\/docs\/api\/[\w-]+\/)#(\w+)\)/g)]
    expect(linked.length).toBeGreaterThan(500)
    for (const [, name = '', address = '', anchor] of linked) {
      const page = pages.find(({ slug }) => `/docs/${slug}/` === address)
      expect([name, anchor, page?.body.split(`\n### ${name}\n`).length]).toEqual([name, name.toLowerCase(), 2])
    }
  })

  test('shows fields with their types, and examples', () => {
    const runs = pages.find(({ slug }) => slug === 'api/runs')
    expect(runs?.body).toMatch(/\n### CreateRun\n[\s\S]*\| `agent_id` \| string \| /)
    expect(runs?.body).toMatch(/\| `metadata` \| [^|]*, optional \| /)
    expect(runs?.body).toContain('"query": "When is invoice 2026-014 due?"')
  })
})
