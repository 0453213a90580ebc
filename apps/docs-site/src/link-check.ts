import { attributeOf, replaceTags } from './html.ts'
import { basePath } from './site-pages.ts'
import type { SiteFiles } from './strict-html.ts'

/** Addresses outside the site that the gateway serves in any case. */
const servedByGateway = new Set([
  '/openapi.json',
  '/openapi.yaml',
  '/llms.txt',
  `${basePath}/api`,
  `${basePath}/errors`,
])

/** Tags whose file a browser loads with the page. */
const loading = new Set(['script', 'img', 'link', 'source', 'iframe'])

/**
 * Every link of a built site that leads to no page, file or heading, and every file that a page loads from another host.
 * `names` are the paths of all files; `texts` has the contents of pages and Markdown twins.
 */
export const findBrokenLinks = (names: ReadonlySet<string>, texts: SiteFiles): string[] => {
  const pages = [...texts].filter(([path]) => path.endsWith('.html'))
  const parsed = new Map(pages.map(([path, html]) => [path, parsePage(html)]))
  const broken: string[] = []
  for (const [path, { links, anchors }] of parsed) {
    for (const { tag, target } of links) {
      const reason = reasonOf(target, tag, { anchors, names, parsed })
      if (reason) broken.push(`${path}: ${target} ${reason}`)
    }
  }
  for (const [path, text] of texts) {
    if (path.endsWith('.html')) continue
    for (const [, target = ''] of text.matchAll(/\]\((\/[^()\s#]*)/g)) {
      if (!servedByGateway.has(target) && !names.has(fileOf(target))) broken.push(`${path}: ${target} does not exist`)
    }
  }
  return broken.sort()
}

type Page = { readonly links: readonly { tag: string; target: string }[]; readonly anchors: ReadonlySet<string> }

const parsePage = (html: string): Page => {
  const links: { tag: string; target: string }[] = []
  const anchors = new Set<string>()
  replaceTags(html, (tag, name) => {
    const id = attributeOf(tag, 'id')
    if (id !== undefined) anchors.add(id)
    for (const attribute of ['href', 'src']) {
      const target = attributeOf(tag, attribute)
      if (target !== undefined) links.push({ tag: name, target })
    }
    return tag
  })
  return { links, anchors }
}

const reasonOf = (
  target: string,
  tag: string,
  site: { anchors: ReadonlySet<string>; names: ReadonlySet<string>; parsed: ReadonlyMap<string, Page> },
): string | undefined => {
  if (/^(https?:)?\/\//.test(target)) return loading.has(tag) ? 'is loaded from another host' : undefined
  if (/^(mailto|data):/.test(target)) return undefined
  const [path = '', anchor = ''] = target.split('#')
  if (path === '') return hasAnchor(site.anchors, anchor)
  if (!path.startsWith('/')) return 'is relative'
  if (servedByGateway.has(path)) return undefined
  const file = fileOf(path)
  if (!site.names.has(file)) return 'does not exist'
  const page = site.parsed.get(file)
  return page && hasAnchor(page.anchors, anchor)
}

const hasAnchor = (anchors: ReadonlySet<string>, anchor: string): string | undefined =>
  anchor === '' || anchors.has(decodeURIComponent(anchor)) ? undefined : 'has no such heading'

/** The file behind an address: `/docs/guides/runs/` → `guides/runs/index.html`. */
const fileOf = (path: string): string => {
  if (!path.startsWith(`${basePath}/`)) return path
  const name = path.slice(basePath.length + 1)
  return name === '' || name.endsWith('/') ? `${name}index.html` : name
}
