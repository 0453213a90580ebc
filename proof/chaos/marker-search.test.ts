import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forbiddenScript, markerOf, permittedScript } from './marked-speech.ts'
import { searchFiles, sightOf } from './marker-search.ts'

test('a marker is found in any file below a folder, also where two chunks meet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ars-markers-'))
  const marker = Buffer.from(markerOf(forbiddenScript, 'a'))
  try {
    mkdirSync(join(folder, 'deep/er'), { recursive: true })
    writeFileSync(join(folder, 'clean.log'), `${markerOf(permittedScript, 'a')}\n`.repeat(100))
    writeFileSync(join(folder, 'deep/er/engine.sst'), Buffer.concat([Buffer.alloc(16 * 1_048_576 - 10), marker]))
    const { found, files, bytes } = await searchFiles(folder, forbiddenScript)
    expect(found.length).toBeGreaterThan(0)
    for (const words of found) expect(words).toContain('engine.sst')
    expect(files).toBe(2)
    expect(bytes).toBeGreaterThan(16 * 1_048_576)
    expect((await searchFiles(folder, permittedScript)).found[0]).toContain('clean.log')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a sight keeps the letters of each script apart', () => {
  const sight = sightOf([forbiddenScript, permittedScript])
  sight.see('an ordinary text')
  sight.see(`with ${markerOf(permittedScript, 'a')}`)
  expect(sight.found).toEqual({ forbidden: [], permitted: [markerOf(permittedScript, 'a')] })
  expect(sight.chars).toBe(33)
})
