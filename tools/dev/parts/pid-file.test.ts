import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reapAllBelow } from './pid-file.ts'

test('a directory that another process deletes meanwhile is no error', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'ars-reap-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'postgres', 'data'), { recursive: true })
  const stale = join(dir, 'postgres', 'data', 'postgres.pid')
  writeFileSync(stale, 'cut short')
  await reapAllBelow(dir)
  expect(existsSync(stale)).toBe(false)
  await reapAllBelow(join(dir, 'deleted'))
})
