import type { FastifyInstance } from 'fastify'
import { sendText } from '../answer/answer.ts'
import { refuse } from '../answer/refusal.ts'
import { refuseUnknownRoute } from '../answer/unknown-route.ts'
import { addSite, asksForPage, immutable, pathOf, redirect, sendFile } from './site-answer.ts'
import { dashboardSite, type SiteFiles } from './site-files.ts'

/** The dashboard loads files of this service only, and no text of a page can become script or style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
]

const method = ['GET', 'HEAD']
const { path: dashboardPath } = dashboardSite
const indexPath = `${dashboardPath}/index.html`
const assetsPath = `${dashboardPath}/assets/`

/**
 * The dashboard, below `/dashboard`. Its files are equal for everybody: no credential is read and no rate is counted.
 * Every path that is not a file is a page of the application, which reads the path in the browser.
 */
export const addDashboard = (app: FastifyInstance, files: SiteFiles | null, docUrl: string): void => {
  addSite(app, { path: dashboardPath, operationName: 'dashboard', policy }, (request, reply) => {
    if (files === null) return void sendText(request, reply, noDashboard)
    const path = pathOf(request)
    const isAsset = path.startsWith(assetsPath)
    const file = files.get(path) ?? (isAsset ? undefined : files.get(indexPath))
    if (file) return void sendFile(request, reply, { file, caching: isAsset ? immutable : 'no-cache' })
    const message = 'The dashboard has no such file. It may belong to another release: reload the page.'
    refuse({ docUrl }, { code: 'not_found', message }, request, reply)
  })

  // A browser that opens the service's address. Programs get the same refusal as for every unknown path.
  app.route({
    method,
    url: '/',
    handler: (request, reply) => {
      request.responseHeaders.vary = 'Accept'
      if (asksForPage(request)) return void redirect(request, reply, { status: 302, location: `${dashboardPath}/` })
      refuse({ docUrl }, refuseUnknownRoute(request.method, '/', request.responseHeaders), request, reply)
    },
  })
}

const noDashboard = {
  status: 404,
  type: 'text/plain; charset=utf-8',
  body: 'This installation has no dashboard. The operator can build it (pnpm --filter @ars/dashboard build) or name its folder in ARS_DASHBOARD_DIR.\n',
}
