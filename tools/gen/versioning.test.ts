import { readFileSync } from 'node:fs'
import { contract, type Operation } from '@ars/contract'
import { expect, test } from 'vitest'
import { findBreaks } from './breaking.ts'
import { buildDocument } from './openapi.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const operations = Object.values(contract).flatMap((group) => Object.values<Operation>(group))

test('[S82] breaking changes are announced in the changelog, the previous major lives 12 months, and v2 is checked for breaks', () => {
  const policy = /previous major version is supported for 12 months/
  expect(read('CHANGELOG.md')).toContain('Breaking changes are announced here')
  expect(read('CHANGELOG.md').replaceAll('\n', ' ')).toMatch(policy)
  expect(read('docs/versioning.md').replaceAll('\n', ' ')).toMatch(/12 months/)
  const before = buildDocument(contract)
  const { agents: _gone, ...rest } = contract
  expect(findBreaks(before, buildDocument(rest as typeof contract)).length).toBeGreaterThanOrEqual(2)
  expect(findBreaks(before, before)).toEqual([])
})

test('[S83] the changelog records for every route whether it streams, as the contract has it', () => {
  const rows = new Map(
    [...read('CHANGELOG.md').matchAll(/^\| `(\w+ \/\S+)` \| (yes|no)\b/gm)].map(([, route, streams]) => [
      route,
      streams === 'yes',
    ]),
  )
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(operations.map(({ method, path, streams }) => [`${method} ${path}`, streams === true])),
  )
})
