import { expect, test } from 'vitest'
import { faultsOf, maxSkips, parsePage } from '../lab/page/block.ts'
import { readPages } from './pages.ts'
import { block, plant, run } from './planted.fixture.ts'

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
      '## Pages\n[b](guides/b.md) [t](tutorials/t.md#part) [SDK](../sdks/typescript/README.md) [x](reference/x.md)',
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
