import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { runGuides } from './guides.ts'
import { block, plant, run, scratch } from './planted.fixture.ts'

test('blocks of a page share a shell, pages share the stack, and everything is ended afterwards', async () => {
  const facts = scratch('facts-')
  const { failures, page } = await run({
    'docs/guides/a.md': `${block('. .dev/env\nword=carried')}
1. A step
   ${block('test "$word" = carried').replaceAll('\n', '\n   ')}
${block(`echo up\necho $$ >${facts}/background\nexec sleep 600`, ' background')}
${block('exit 3', ' fails')}${block('needs root', ' skip="it needs root"')}`,
    'docs/guides/b.md': block(`. .dev/env\ntest -z "\${word-}"\nkill -0 $stack\necho $stack >${facts}/stack`),
  })
  expect(failures).toEqual([])
  expect(page('docs/guides/a.md')).toMatch(/^ok .* 4 blocks, 1 skipped /)
  expect(page('docs/guides/b.md')).toMatch(/^ok .* 1 blocks /)
  for (const name of ['background', 'stack']) {
    const pid = Number(readFileSync(join(facts, name), 'utf8'))
    expect(existsSync(`/proc/${pid}`), name).toBe(false)
  }
})

test('a block that fails is named with its page, line and output, and the next pages are still executed', async () => {
  const { failures, page } = await run({
    'docs/guides/a.md': `Words.\n\n${block('echo before\nfalse | true\necho after')}${block('echo never')}`,
    'docs/guides/b.md': block('echo "$unset_variable"'),
    'docs/guides/c.md': block('true', ' fails'),
    'docs/guides/d.md': `${block('echo up', ' background')}${block('wait $!')}`,
    'docs/guides/f.md': block('true'),
    'docs/guides/g.md': block('exit 0'),
  })
  expect(failures).toEqual([
    expect.stringMatching(/^docs\/guides\/a\.md:4: status 1\n[\s\S]*Its output:\n {4}before$/),
    expect.stringMatching(/^docs\/guides\/b\.md:2: status 1\n[\s\S]*unset_variable: unbound variable$/),
    expect.stringContaining('docs/guides/c.md:2: status 0, but its fence says that it fails'),
    expect.stringContaining('docs/guides/d.md:2: ended with status 0 before its page'),
    expect.stringContaining('docs/guides/g.md:2: status 0'),
  ])
  expect(page('docs/guides/a.md')).toMatch(/^FAIL/)
  expect(page('docs/guides/f.md')).toMatch(/^ok/)
})

test('a block that does not end is killed and named', async () => {
  const page = block('echo before\nsleep 600 | cat')
  const { failures } = await run({ 'docs/guides/a.md': page }, { blockLimitMs: 1000 })
  expect(failures).toEqual([expect.stringMatching(/^docs\/guides\/a\.md:2: not done after 1 s\n[\s\S]*before$/)])
})

test('programs that CI installs below the root are found, and those that only pnpm adds are not', async () => {
  const root = plant({ 'docs/guides/a.md': `${block('ci-program')}${block('pnpm-program', ' fails')}` })
  const [before, folders] = [process.env.PATH, [join(root, '.ci-state/bin'), join(root, 'node_modules/.bin')]]
  for (const [index, name] of ['ci-program', 'pnpm-program'].entries()) {
    mkdirSync(folders[index] ?? '', { recursive: true })
    writeFileSync(join(folders[index] ?? '', name), '#!/bin/sh\n', { mode: 0o755 })
  }
  process.env.PATH = [...folders, before].join(delimiter)
  try {
    expect(await runGuides({ root, say: () => undefined })).toEqual([])
  } finally {
    process.env.PATH = before
  }
})

test('one page is executed after the blocks of the README that start the stack', async () => {
  const readme = `${block('pnpm dev', ' background')}${block('false')}`
  const pages = { 'README.md': readme, 'docs/guides/a.md': block('. .dev/env'), 'docs/guides/b.md': block('false') }
  expect((await run(pages, { only: ['docs/guides/a.md'] })).failures).toEqual([])
  expect((await run(pages)).failures).toHaveLength(2)
  expect((await run(pages, { only: ['docs/guides/z.md'] })).failures).toEqual([
    expect.stringContaining('docs/guides/z.md is not'),
  ])
})

test('a stack that does not come up, or ends, fails the run', async () => {
  const readme = block('pnpm dev', ' background')
  const broken = { 'package.json': JSON.stringify({ scripts: { dev: 'echo port taken; exit 1' } }) }
  expect((await run({ 'README.md': readme, ...broken })).failures[0]).toMatch(
    /README\.md:2: status 1\n[\s\S]*port taken/,
  )
  const page = block('. .dev/env\nkill -9 $stack\nwhile kill -0 $pnpm; do sleep 0.1; done')
  expect((await run({ 'docs/guides/a.md': page })).failures[0]).toContain('the stack does not run')
  expect((await run({ 'README.md': block('true') })).failures).toEqual([expect.stringContaining('no block starts the')])
})
