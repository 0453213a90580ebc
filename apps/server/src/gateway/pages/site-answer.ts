import type { ReservedShare } from '@ars/platform/byte-budget'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncoding } from '../answer/accepted-encoding.ts'
import { send } from '../answer/answer.ts'
import type { Encoding, SiteFile } from './site-files.ts'

/** Answers a path and all paths below it, under the content security policy of the site. */
export const addSite = (
  app: FastifyInstance,
  site: { path: string; operationName: string; policy: readonly string[] },
  answer: (request: FastifyRequest, reply: FastifyReply) => void,
): void => {
  const siteHeaders = {
    'content-security-policy': site.policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    request.operationName = site.operationName
    Object.assign(request.responseHeaders, siteHeaders)
    answer(request, reply)
  }
  for (const url of [site.path, `${site.path}/*`]) app.route({ method: ['GET', 'HEAD'], url, handler })
}

/** For files whose names change with their contents. */
export const immutable = 'public, max-age=31536000, immutable'

/** Answers with a file of a site, in the form that the client takes, or with 304. */
export const sendFile = (
  request: FastifyRequest,
  reply: FastifyReply,
  { file: { type, variants }, caching, status = 200 }: { file: SiteFile; caching: string; status?: number },
): void => {
  const { responseHeaders, headers } = request
  const available = encodings.filter((encoding) => variants[encoding] !== undefined)
  const encoding = acceptedEncoding(headers['accept-encoding'] as string | undefined, available)
  const { body, etag } = variants[encoding] ?? variants.identity
  responseHeaders.vary = 'Accept-Encoding'
  responseHeaders.etag = etag
  responseHeaders['cache-control'] = caching
  if (status === 200 && isKnown(etag, headers['if-none-match'])) return void send(request, reply, 304)
  responseHeaders['content-type'] = type
  if (encoding !== 'identity') responseHeaders['content-encoding'] = encoding
  send(request, reply, status, { body, held: sharedBytes })
}

export const redirect = (
  request: FastifyRequest,
  reply: FastifyReply,
  { status, location }: { status: 301 | 302; location: string },
): void => {
  request.responseHeaders.location = location
  request.responseHeaders['cache-control'] = 'no-cache'
  send(request, reply, status, { body: Buffer.alloc(0) })
}

const encodings: readonly Encoding[] = ['br', 'gzip']

/** All responses share the bytes of the table, so that a reader holds none for itself. */
const sharedBytes: ReservedShare = { bytes: () => 0, resize: () => 'free', giveBack: () => undefined }

const isKnown = (etag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*')

export const asksForPage = ({ headers }: FastifyRequest): boolean =>
  (headers.accept ?? '').split(',').some((range) => /^\s*text\/html\s*(;|$)/i.test(range))

export const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? ''
