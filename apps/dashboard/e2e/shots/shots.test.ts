import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { paths } from '../routes.ts'
import { albumOf } from './album.ts'
import { pictures, unpictured } from './pictures.ts'

const folder = join(import.meta.dirname, '../../../../docs/screens')
const committed = readdirSync(folder).filter((name) => name.endsWith('.webp'))

test('every page has its pictures, and no picture is left over: pnpm --filter @ars/dashboard shots', () => {
  expect(new Set([...pictures.map(({ path }) => path), ...unpictured])).toEqual(new Set(paths))
  expect(committed.sort()).toEqual(pictures.map(({ file }) => file).sort())
})

test('the album shows all of them', () => {
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe(albumOf(pictures))
})

test('together they have at most 2 MB', () => {
  expect(committed.reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0)).toBeLessThanOrEqual(2_000_000)
})
