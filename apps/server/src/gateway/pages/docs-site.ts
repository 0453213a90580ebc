import type { FastifyInstance } from 'fastify'
import { refuse } from '../answer/refusal.ts'
import { addSite, asksForPage, immutable, pathOf, sendFile } from './site-answer.ts'
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
  addSite(app, { path: docsPath, operationName: 'docs', policy }, (request, reply) => {
    const path = pathOf(request)
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
