import { adaptLinks, addressOf } from './links.ts'
import { withRequests } from './requests.ts'
import type { SidebarGroup } from './sidebar.ts'
import { sidebarOf } from './sidebar.ts'
import type { SitePage } from './site-page.ts'
import { basePath, version } from './site-pages.ts'
import type { SiteFiles } from './strict-html.ts'

/** A Markdown file beside every page, and `llms.txt`, which lists them, for programs that read. */
export const markdownTwins = (pages: readonly SitePage[]): SiteFiles => {
  const byFile = new Map(pages.map((page) => [page.file, page]))
  const twins: SiteFiles = new Map(
    pages.map((page) => [
      `${page.slug}.md`,
      `# ${page.title}\n${adaptLinks(withRequests(page, 'markdown'), byFile, 'markdown')}`,
    ]),
  )
  return twins.set('llms.txt', llmsTxt(pages))
}

const llmsTxt = (pages: readonly SitePage[]): string => {
  const byAddress = new Map(pages.map((page) => [addressOf(page, 'html'), page]))
  const linesOf = ({ items }: SidebarGroup): string[] =>
    items.flatMap((item) => {
      if ('items' in item) return linesOf(item)
      const page = byAddress.get(basePath + item.link)
      if (!page) return []
      const text = page.description && `: ${page.description}`
      return [`- [${page.title}](${addressOf(page, 'markdown')})${text}`]
    })
  const index = pages.find(({ slug }) => slug === 'index')
  const groups = sidebarOf(pages).map((group) => `## ${group.label}\n\n${linesOf(group).join('\n')}`)
  return `# Agent Run Service ${version}\n\n> ${index?.description ?? ''}\n\nThe OpenAPI document is at [/openapi.json](/openapi.json).\n\n${groups.join('\n\n')}\n`
}
