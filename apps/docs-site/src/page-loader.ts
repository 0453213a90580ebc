import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Loader } from 'astro/loaders'
import { adaptLinks, addressOf } from './links.ts'
import { withRequests } from './requests.ts'
import type { SitePage } from './site-page.ts'
import { basePath, readSitePages, repositoryDir } from './site-pages.ts'

/** Hands the Markdown of the repository to Starlight, with titles and links of the site. */
export const pageLoader = (): Loader => ({
  name: 'pages-of-the-repository',
  load: async ({ store, parseData, renderMarkdown }) => {
    store.clear()
    const pages = readSitePages()
    const byFile = new Map(pages.map((page) => [page.file, page]))
    for (const page of pages) {
      const shown = page.slug === 'index' ? landingPage(page) : withRequests(page, 'html')
      const body = adaptLinks(shown, byFile, 'html')
      const fileURL = pathToFileURL(join(repositoryDir, page.file))
      store.set({
        id: page.slug,
        data: await parseData({ id: page.slug, data: frontmatterOf(page) }),
        body,
        rendered: await renderMarkdown(body, { fileURL }),
      })
    }
  },
})

const frontmatterOf = (page: SitePage): Record<string, unknown> => {
  const twin = { rel: 'alternate', type: 'text/markdown', href: addressOf(page, 'markdown') }
  return {
    title: page.title,
    ...(page.description && { description: page.description }),
    head: [{ tag: 'link', attrs: twin }],
    ...(page.slug === 'index' && landing(page)),
    // One long table: it needs the width.
    ...(!/^## /m.test(page.body) && { tableOfContents: false }),
    // Pictures and lists of tests: their words would hide the pages that explain.
    ...(/^(screens|spec-lines|project\/changelog)/.test(page.slug) && { pagefind: false }),
  }
}

/** The README without the sentence and the picture that the hero shows, and with its shortest code on the first screen. */
const landingPage = (page: SitePage): SitePage => {
  const [start = '', program = ''] = [/^```sh proof[^\n]*\n[\s\S]*?^```$/m, /^```ts\n[\s\S]*?^```$/m].map(
    (block) => block.exec(page.body)?.[0] ?? '',
  )
  const body = page.body.replace(page.description, '').replace(/^!\[[^\]]*\]\(docs\/screens\/[^)]*\)$/m, '')
  return { ...page, body: `${start}\n\n${program}\n\n${body}` }
}

const picture = ['light', 'dark']
  .map(
    (theme) =>
      `<img class="shot-${theme}" src="${basePath}/screens/runs-runId-${theme}.webp" alt="A run in the dashboard, with its steps on a time line" width="1024" height="640">`,
  )
  .join('')

const landing = ({ title, description }: SitePage): Record<string, unknown> => ({
  template: 'splash',
  hero: {
    tagline: description.replace(`${title} is a`, 'A'),
    image: { html: picture },
    actions: [
      { text: 'Quick start', link: '#quick-start', icon: 'right-arrow' },
      { text: 'Documentation', link: `${basePath}/contents/`, variant: 'secondary' },
      { text: 'API reference', link: `${basePath}/api/runs/`, variant: 'minimal' },
    ],
  },
})
