import { readdirSync, readFileSync } from 'node:fs'
import { contract } from '@ars/contract'
import { expect, test } from 'vitest'
import { makerOf } from './makers.ts'
import { parts } from './parts.ts'

test('each resource of the contract is in exactly one part of the matrix', () => {
  expect(Object.values(parts).flat().toSorted()).toEqual(Object.keys(contract).toSorted())
})

test('each part of the matrix is called by exactly one file', () => {
  const folder = new URL('./', import.meta.url)
  const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const called = texts.flatMap((text) => [...text.matchAll(/^testAccess\('([\w-]+)'\)$/gm)].map(([, part]) => part))
  expect(called.toSorted()).toEqual(Object.keys(parts).toSorted())
})

test('an object type without a maker in the matrix is reported, with the missing maker', () => {
  expect(() => makerOf('xyz')).toThrow('add a maker for `xyz` to apps/server/test/access-matrix/makers.ts')
})
