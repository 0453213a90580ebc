import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse } from '../answer/refusal.ts'
import { addSite, asksForPage, immutable, pathOf, redirect, sendFile } from './site-answer.ts'
import { docsSite, readSite, type SiteFiles } from './site-files.ts'

/**
 * The pages load files of this service only, and no text of a page can become script or style. The search is WebAssembly in
 * a worker; its interface writes HTML, so that trusted types cannot be required. Icons in the stylesheet are `data:`.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

const { path: docsPath } = docsSite
const assetsPath = `${docsPath}/_astro/`

/** Null: the operator does not serve the documentation, or it is not built. */
export const readDocsSite = (folder = docsSite.folder): SiteFiles | null =>
  folder === 'off' ? null : readSite({ ...docsSite, folder })

/** The documentation, below `/docs`. Its files are equal for everybody: no credential is read and no rate is counted. */
export const addDocsSite = (app: FastifyInstance, files: SiteFiles, docUrl: string): void => {
  const moved = readMovedPages(files)
  addSite(app, { path: docsPath, operationName: 'docs', policy }, (request, reply) => {
    const path = pathOf(request)
    const location = moved.get(path) ?? moved.get(`${path}/`)
    if (location) return void redirect(request, reply, { status: 301, location: location + queryOf(request) })
    const file = files.get(path) ?? files.get(`${path.replace(/\/$/, '')}/index.html`)
    if (file) {
      const caching = path.startsWith(assetsPath) ? immutable : 'no-cache'
      return void sendFile(request, reply, { file, caching })
    }
    const missing = files.get(`${docsPath}/404.html`)
    if (missing && asksForPage(request))
      return void sendFile(request, reply, { file: missing, caching: 'no-store', status: 404 })
    refuse({ docUrl }, { code: 'not_found', message: 'The documentation has no such page.' }, request, reply)
  })
}

const queryOf = ({ url }: FastifyRequest): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

/** Old addresses and their new ones, as the build of the site wrote them. */
const readMovedPages = (files: SiteFiles): ReadonlyMap<string, string> => {
  const table = files.get(`${docsPath}/moved.json`)?.variants.identity.body.toString() ?? '{}'
  return new Map(Object.entries(JSON.parse(table) as Record<string, string>))
}
