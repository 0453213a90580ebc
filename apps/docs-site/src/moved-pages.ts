import { addressOf, type Form } from './links.ts'
import type { SiteFiles } from './strict-html.ts'

/** Pages that had another address, by their slugs: old and new. A row stays, because links to the old address stay. */
export const movedPages: Readonly<Record<string, string>> = {
  'guides/add-an-endpoint': 'maintain/add-an-endpoint',
  'guides/backup': 'operate/backup',
  'guides/capacity': 'operate/capacity',
  'guides/cells': 'operate/cells',
  'guides/chaos': 'maintain/chaos',
  'guides/egress': 'operate/egress',
  'guides/high-availability': 'operate/high-availability',
  'guides/install': 'operate/install',
  'guides/kubernetes': 'operate/kubernetes',
  'guides/local-model': 'operate/local-model',
  'guides/mail': 'operate/mail',
  'guides/models': 'operate/models',
  'guides/operate': 'operate',
  'guides/release': 'maintain/release',
  'guides/rotate-secrets': 'operate/rotate-secrets',
  'guides/secrets': 'operate/secrets',
  'guides/traces': 'operate/traces',
  'guides/upgrade': 'operate/upgrade',
}

const forms: readonly Form[] = ['html', 'markdown']

/** Old address → new address, of pages and of their Markdown twins. */
const addresses = (): readonly (readonly [string, string])[] =>
  Object.entries(movedPages).flatMap(([from, to]) =>
    forms.map((form) => [addressOf({ slug: from }, form), addressOf({ slug: to }, form)] as const),
  )

/**
 * `moved.json` is the table from which a gateway redirects. A server that only hands files out has a page at each old address
 * that leads to the new one.
 */
export const redirectFiles = (): SiteFiles => {
  const files: SiteFiles = new Map([['moved.json', `${JSON.stringify(Object.fromEntries(addresses()), null, 2)}\n`]])
  for (const [from, to] of Object.entries(movedPages)) {
    const page = addressOf({ slug: to }, 'html')
    files.set(
      `${from}/index.html`,
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Moved</title><meta http-equiv="refresh" content="0;url=${page}"><link rel="canonical" href="${page}"></head><body><a href="${page}">This page has moved.</a></body></html>\n`,
    )
    files.set(`${from}.md`, `This page has moved to [${to}](${addressOf({ slug: to }, 'markdown')}).\n`)
  }
  return files
}
