import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { faultsOf, maxSkips, parsePage } from './block.ts'
import { type GuideOptions, runGuides } from './guides.ts'
import { readPages } from './pages.ts'

const planted: string[] = []

afterEach(() => {
  for (const dir of planted.splice(0)) rmSync(dir, { recursive: true, force: true })
})

const block = (code: string, annotation = ''): string => `\`\`\`sh${annotation}\n${code}\n\`\`\`\n`

/** A repository whose `pnpm dev` starts no service; everything else is as in ours. */
const plant = (pages: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), 'planted-'))
  planted.push(root)
  const dev = 'mkdir .dev && echo "stack=$$ pnpm=$PPID" >.dev/env && exec sleep 600'
  const files = {
    'README.md': block('pnpm dev', ' background'),
    'package.json': JSON.stringify({ name: 'planted', private: true, scripts: { dev } }),
    ...pages,
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return root
}

const run = async (pages: Readonly<Record<string, string>>, options: Partial<GuideOptions> = {}) => {
  const lines: string[] = []
  const failures = await runGuides({
    root: plant(pages),
    say: (line) => lines.push(line),
    ...options,
  })
  return { failures, lines, page: (file: string) => lines.find((line) => line.includes(`  ${file} `)) ?? '' }
}

test('blocks of a page share a shell, pages share the stack, and everything is ended afterwards', async () => {
  const facts = mkdtempSync(join(tmpdir(), 'facts-'))
  planted.push(facts)
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

test('nothing is executed when a fence cannot be understood', async () => {
  const skip = block('true', ' skip="needs root"')
  const cases: readonly [page: string, text: string, fault: RegExp][] = [
    ['docs/guides/a.md', block('true', ' skip'), /a\.md:1: `sh skip`: use sh, /],
    ['docs/guides/a.md', block('true', ' skip=""'), /a\.md:1: /],
    ['docs/guides/a.md', block('true', ' skip=" "'), /a\.md:1: /],
    ['docs/guides/a.md', block('true', ' backgroud'), /a\.md:1: /],
    ['docs/guides/a.md', '```bash\ntrue\n```', /a\.md:1: write `sh` instead of `bash`/],
    ['docs/guides/a.md', '\n```sh\ntrue\n', /a\.md:2: the block has no end/],
    ['README.md', skip, /README\.md:2: no block of the README may be skipped/],
    ['docs/guides/a.md', skip.repeat(maxSkips + 1), /9 blocks are skipped; at most 8 may be/],
  ]
  for (const [page, text, fault] of cases)
    expect(faultsOf([parsePage(page, text)])).toEqual([expect.stringMatching(fault)])
  expect(faultsOf([parsePage('docs/guides/a.md', skip.repeat(maxSkips))])).toEqual([])
  const { failures, lines } = await run({ 'docs/guides/a.md': skip.repeat(5), 'docs/tutorials/b.md': skip.repeat(4) })
  expect(failures).toEqual([expect.stringContaining('9 blocks are skipped')])
  expect(lines).toHaveLength(1)
})

test('pages come in the order of the table of contents, and those that it does not list after them', () => {
  const root = plant({
    'docs/README.md':
      '[b](guides/b.md) [t](tutorials/t.md#part) [SDK](../sdks/typescript/README.md) [x](reference/x.md)',
    'docs/guides/a.md': '',
    'docs/guides/b.md': '',
    'docs/tutorials/t.md': '',
    'examples/one/README.md': '',
    'sdks/typescript/README.md': '',
    'docs/reference/x.md': '',
  })
  expect(readPages(root).map(({ file }) => file)).toEqual([
    'README.md',
    'docs/README.md',
    'docs/guides/b.md',
    'docs/tutorials/t.md',
    'sdks/typescript/README.md',
    'docs/guides/a.md',
    'examples/one/README.md',
  ])
})
