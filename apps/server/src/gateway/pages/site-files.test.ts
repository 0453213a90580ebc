import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serverBounds } from '../../bounds.ts'
import { dashboardSite, readSite } from './site-files.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ars-dashboard-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const read = () => readSite({ ...dashboardSite, folder })

const write = (files: Record<string, string | Buffer>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

test('the table has every file by its path, with its type and its compressed forms', () => {
  write({
    'index.html': '<p>',
    'index.html.br': 'b',
    'index.html.gz': 'g',
    'assets/a-1.js': 'a',
    'assets/f.woff2': 'f',
  })
  const files = read()
  expect([...(files?.keys() ?? [])].sort()).toEqual([
    '/dashboard/assets/a-1.js',
    '/dashboard/assets/f.woff2',
    '/dashboard/index.html',
  ])
  const index = files?.get('/dashboard/index.html')
  expect(index?.type).toBe('text/html; charset=utf-8')
  expect(index?.variants.br?.body.toString()).toBe('b')
  expect(index?.variants.gzip?.body.toString()).toBe('g')
  const tags = [index?.variants.identity.etag, index?.variants.br?.etag, index?.variants.gzip?.etag]
  expect(new Set(tags).size).toBe(3)
})

test('hidden files and links that lead out of the folder are left out', () => {
  write({ 'index.html': '<p>', '.vite/manifest.json': '{}', '.env': 'secret' })
  symlinkSync('/etc/hostname', join(folder, 'hostname'))
  symlinkSync('/etc', join(folder, 'etc'))
  expect([...(read()?.keys() ?? [])]).toEqual(['/dashboard/index.html'])
})

test('a folder that does not exist, or is empty, is no site', () => {
  expect(read()).toBeNull()
  expect(readSite({ ...dashboardSite, folder: join(folder, 'nowhere') })).toBeNull()
})

test('a folder without index.html, or beyond the bound, is an error that names the folder', () => {
  write({ 'assets/a.js': 'a' })
  expect(() => read()).toThrow(`the dashboard in ${folder} has no index.html`)
  write({ 'index.html': '<p>', 'large.bin': Buffer.alloc(serverBounds.siteFiles.bytes) })
  expect(() => read()).toThrow(`the dashboard in ${folder} has over ${serverBounds.siteFiles.bytes} bytes`)
})
