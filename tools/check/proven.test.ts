import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashOf, inputsOf } from './proven.ts'

const file = (path: string, content: string) => ({ path, content: Buffer.from(content) })

test('the hash changes with a name, with a content, and with a border between two files', () => {
  const hashes = [
    hashOf([file('a', '1'), file('b', '2')]),
    hashOf([file('a', '1'), file('c', '2')]),
    hashOf([file('a', '1'), file('b', '3')]),
    hashOf([file('a', '12'), file('b', '')]),
    hashOf([file('a', '1')]),
  ]
  expect(new Set(hashes).size).toBe(hashes.length)
})

test('the hash does not depend on the order of the files', () => {
  expect(hashOf([file('b', '2'), file('a', '1')])).toBe(hashOf([file('a', '1'), file('b', '2')]))
})

test('every input of a phase exists', () => {
  const missing = Object.values(inputsOf)
    .flat()
    .filter((path) => !existsSync(join(import.meta.dirname, '../..', path)))
  expect(missing).toEqual([])
})
