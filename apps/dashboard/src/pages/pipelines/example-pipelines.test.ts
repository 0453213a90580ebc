import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { examplePipelines } from './example-pipelines.ts'

const root = join(import.meta.dirname, '../../../../..')
// The dashboard has no parser of YAML, and needs none but here.
const { parse } = createRequire(join(root, 'tools/package.json'))('yaml') as { parse(text: string): unknown }

test('the examples are those of the catalog', () => {
  const folder = join(root, 'catalog/pipelines')
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  const stored = files.map((name) => parse(readFileSync(join(folder, name), 'utf8')) as { key: string })
  const byKey = (one: { key: string }, other: { key: string }) => one.key.localeCompare(other.key)
  expect(examplePipelines.toSorted(byKey)).toEqual(stored.toSorted(byKey))
})
