import { apiBasePath, type Operation } from '@ars/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { sendPage } from '../answer/answer.ts'
import { addOperation, type GatewayDeps } from '../answer/operation-route.ts'
import { serveDocument } from './document.ts'
import { errorsPage } from './errors-page.ts'
import { pagePolicy, stylesheet } from './html.ts'
import { llmsTxt } from './llms-txt.ts'
import { referencePage } from './reference-page.ts'
import { redirect } from './site-answer.ts'

/**
 * The document and its pages. Outside the base path they need no credential; below it, nothing answers without one, so
 * that the copy there needs any valid credential.
 */
export const addPages = (app: FastifyInstance, deps: GatewayDeps, { publicUrl, hasDocsSite }: Site): void => {
  const served = serveDocument(publicUrl)
  const pages: Readonly<Record<string, { type: string; body: () => Buffer }>> = {
    '/openapi.json': { type: 'application/json; charset=utf-8', body: () => served.json },
    '/openapi.yaml': { type: 'application/yaml; charset=utf-8', body: served.yaml },
    '/docs/api': { type: html, body: once(() => referencePage(served.document, { hasDocsSite })) },
    '/docs/errors': { type: html, body: once(() => errorsPage({ hasDocsSite })) },
    '/docs/style.css': { type: 'text/css; charset=utf-8', body: once(() => stylesheet) },
    '/llms.txt': {
      type: 'text/plain; charset=utf-8',
      body: once(() => llmsTxt(served.document, { publicUrl, hasDocsSite })),
    },
  }
  for (const [path, { type, body }] of Object.entries(pages)) {
    app.get(path, (request, reply) => {
      if (type === html) request.responseHeaders['content-security-policy'] = pagePolicy
      sendPage(request, reply, { type, body: body() })
    })
  }
  // Readers who type an address write it with a slash at its end, or as the folder of the reference.
  for (const [path, location] of Object.entries(otherAddresses)) {
    app.get(path, (request, reply) => redirect(request, reply, { status: 301, location }))
  }
  const name = 'document.get'
  addOperation(app, deps, { name, operation: reading, handle: async () => served.document, basePath: apiBasePath })
}

const otherAddresses = {
  '/docs/api/': '/docs/api',
  '/docs/errors/': '/docs/errors',
  '/docs/reference': '/docs/api',
  '/docs/reference/': '/docs/api',
}

type Site = { readonly publicUrl: string; readonly hasDocsSite: boolean }

const html = 'text/html; charset=utf-8'

/** Not a row of the contract: no client needs a method for it. */
const reading: Operation = {
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get the OpenAPI document',
  scope: 'signed_in',
  names: 'nothing',
  status: 200,
  input: z.strictObject({}),
  output: z.unknown(),
  errors: [],
}

/** Written at the first request and kept. */
const once = (write: () => string): (() => Buffer) => {
  let written: Buffer | undefined
  return () => {
    written ??= Buffer.from(write())
    return written
  }
}
