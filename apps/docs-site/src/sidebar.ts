import { posix } from 'node:path'
import { addressOf } from './links.ts'
import type { SitePage } from './site-page.ts'
import { basePath } from './site-pages.ts'

export type SidebarLink = { readonly label: string; readonly link: string }
export type SidebarGroup = {
  readonly label: string
  readonly collapsed?: boolean
  readonly items: readonly (SidebarLink | SidebarGroup)[]
}

/**
 * The pages in the order of `docs/README.md`, then folders whose pages it does not name one by one. Every page is in exactly
 * one group.
 */
export const sidebarOf = (pages: readonly SitePage[]): SidebarGroup[] => {
  const contents = pages.find(({ file }) => file === 'docs/README.md')
  if (!contents) throw new Error('docs/README.md does not exist.')
  const left = new Map(pages.map((page) => [page.file, page]))
  const take = (file: string): SidebarLink[] => {
    const page = left.get(file)
    left.delete(file)
    return page ? [linkTo(page)] : []
  }
  const takeAll = (isOne: (page: SitePage) => boolean): SidebarLink[] =>
    [...left.values()].filter(isOne).flatMap(({ file }) => take(file))

  const start = [...take('README.md'), ...take('docs/README.md')]
  const api = { label: 'API reference', collapsed: true, items: takeAll(({ slug }) => slug.startsWith('api/')) }
  const folders = [
    { label: 'Runbooks', collapsed: true, items: takeAll(({ slug }) => slug.startsWith('runbooks')) },
    { label: 'Decisions', collapsed: true, items: takeAll(({ slug }) => slug.startsWith('adr/')) },
    { label: 'Project', collapsed: true, items: takeAll(({ slug }) => slug.startsWith('project/')) },
  ]
  const sections = contents.body
    .split(/^## /m)
    .slice(1)
    .map((section) => groupOf(section, (target) => take(posix.join('docs', target))))
  const [forgotten] = left.values()
  if (forgotten) throw new Error(`${forgotten.file} is in no group of the sidebar. Name it in docs/README.md.`)
  const reference = sections.find(({ label }) => label === 'Reference')
  return [
    { label: 'Start', items: start },
    ...sections.map((each) => (each === reference ? { ...each, items: [api, ...each.items] } : each)),
    ...folders,
  ]
}

/** A section of the index: lines such as `Call agents:` begin a group in it. */
const groupOf = (section: string, take: (target: string) => SidebarLink[]): SidebarGroup => {
  const [label = '', ...lines] = section.split('\n')
  const items: SidebarLink[] = []
  const groups: { label: string; collapsed: boolean; items: SidebarLink[] }[] = []
  for (const line of lines) {
    const [, heading] = /^([A-Z][^[\]]*):$/.exec(line) ?? []
    if (heading) groups.push({ label: heading, collapsed: false, items: [] })
    const found = [...line.matchAll(/\]\(([^)#]+)[^)]*\)/g)].flatMap(([, target = '']) => take(target))
    ;(groups.at(-1)?.items ?? items).push(...found)
  }
  return { label, items: [...items, ...groups] }
}

const linkTo = (page: SitePage): SidebarLink => ({
  label: page.slug === 'index' ? 'Overview' : page.title.replace(/^API: /, ''),
  // Starlight adds the base.
  link: addressOf(page, 'html').slice(basePath.length),
})
