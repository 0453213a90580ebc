import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { type Page, parsePage } from '../lab/page/block.ts'

const contents = 'docs/README.md'
const shelves = ['tutorials', 'guides', 'operate', 'maintain']

/**
 * All pages whose shell blocks are executed, in the order in which they are read: the README, the table of contents, the
 * pages that it links to in its order, the other pages of the shelves, the examples and the SDK.
 */
export const readPages = (root: string): Page[] => {
  const find = (pattern: string): string[] => globSync(pattern, { cwd: root }).toSorted()
  const manuals = shelves.flatMap((shelf) => find(`docs/${shelf}/*.md`))
  const others = [...find('examples/*/README.md'), ...find('sdks/{typescript,python,go}/README.md')]
  const listed = linksOf(root).filter((file) => manuals.includes(file) || others.includes(file))
  const order = ['README.md', contents, ...listed, ...manuals, ...others]
  return [...new Set(order)]
    .filter((file) => existsSync(join(root, file)))
    .map((file) => parsePage(file, readFileSync(join(root, file), 'utf8')))
}

const linksOf = (root: string): string[] => {
  if (!existsSync(join(root, contents))) return []
  // Before the first section is a choice of pages, in another order.
  const [, ...sections] = readFileSync(join(root, contents), 'utf8').split(/^## /m)
  return [...sections.join('').matchAll(/\]\(([^)#]+\.md)(?:#[^)]*)?\)/g)].map(([, link = '']) =>
    normalize(join('docs', link)),
  )
}
