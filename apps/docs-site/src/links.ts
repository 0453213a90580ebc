import { posix } from 'node:path'
import type { SitePage } from './site-page.ts'
import { basePath } from './site-pages.ts'

/** A page as HTML, or its Markdown twin. */
export type Form = 'html' | 'markdown'

/** Files that the site has beside the pages, by their paths in the repository. */
const otherTargets: Readonly<Record<string, string>> = {
  'packages/contract/openapi.json': '/openapi.json',
}

export const addressOf = ({ slug }: Pick<SitePage, 'slug'>, form: Form): string => {
  if (form === 'markdown') return `${basePath}/${slug}.md`
  return slug === 'index' ? `${basePath}/` : `${basePath}/${slug}/`
}

/**
 * Replaces the links of a page, which are relative to its file in the repository, by links of the site. A link to a file
 * that is no page becomes the name of the file, because the site does not know an address of the repository.
 */
export const adaptLinks = (page: SitePage, pages: ReadonlyMap<string, SitePage>, form: Form): string =>
  outsideCode(page.body, (text) =>
    text.replaceAll(
      /(!?)\[((?:!\[[^\]]*\]\([^)]*\)|[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
      (_, image, label, target) => {
        const inner = label.includes('](') ? adaptLinks({ ...page, body: label }, pages, form) : label
        const address = targetOf(page, pages, target, form)
        if (address === undefined) {
          const file = repositoryPath(page, target)
          if (image || label.replaceAll('`', '') === file) return inner
          return `${inner} (\`${file}\`)`
        }
        return `${image}[${inner}](${address})`
      },
    ),
  )

const targetOf = (
  page: SitePage,
  pages: ReadonlyMap<string, SitePage>,
  target: string,
  form: Form,
): string | undefined => {
  if (/^([a-z]+:|\/|#)/i.test(target)) return target
  const [, anchor = ''] = /(#.*)$/.exec(target) ?? []
  const file = repositoryPath(page, target)
  const found = pages.get(file)
  if (found) return addressOf(found, form) + anchor
  if (file.startsWith('docs/screens/')) return `${basePath}/${file.slice('docs/'.length)}`
  return otherTargets[file]
}

const repositoryPath = (page: SitePage, target: string): string => {
  const path = posix.join(posix.dirname(page.file), target.replace(/#.*$/, ''))
  return path.endsWith('/') ? `${path}README.md` : path
}

/** Calls `change` with the text between blocks and spans of code, and keeps the code. */
const outsideCode = (markdown: string, change: (text: string) => string): string => {
  const blocks = markdown.split(/(^ *```[\s\S]*?^ *```[^\n]*$)/m)
  return blocks.map((block, index) => (index % 2 === 1 ? block : change(block))).join('')
}
