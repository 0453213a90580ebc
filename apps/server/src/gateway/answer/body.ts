import { limits } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import { type JsonRefusal, JsonRefused, parseStrictJson } from '@ars/platform/json'
import type { FastifyInstance } from 'fastify'
import type { Incoming } from './incoming.ts'

/**
 * Accepts only uncompressed JSON in UTF-8, parsed strictly so that it can be returned unchanged. Anything else is 415.
 */
export const addBodyParser = (app: FastifyInstance, incoming: Incoming): void => {
  app.removeAllContentTypeParsers()
  // A DELETE body has no meaning (RFC 9110) and is not read.
  app.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true })
  app.addContentTypeParser(['application/json', mergePatch], (request, payload, done) => {
    if (request.method !== 'PATCH' && request.headers['content-type']?.startsWith(mergePatch)) {
      return done(
        new Fault('unsupported_media_type', `Only PATCH accepts ${mergePatch}. Send Content-Type: application/json.`),
      )
    }
    incoming.read(request, payload, (error, bytes) => {
      if (error) return done(error)
      try {
        requirePlainUtf8(request.headers)
        // An empty body is valid for operations without required fields.
        const isEmpty = bytes === undefined || bytes.length === 0
        done(null, isEmpty ? undefined : parseBody(bytes, (values) => incoming.holdValues(request, values)))
      } catch (refused) {
        done(refused as Error)
      }
    })
  })
}

/** The media type of RFC 7396, which says how a PATCH is applied. */
const mergePatch = 'application/merge-patch+json'

const requirePlainUtf8 = (headers: {
  'content-type'?: string | undefined
  'content-encoding'?: string | undefined
}): void => {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new Fault('unsupported_media_type', 'The body must be UTF-8. Send Content-Type: application/json.')
  }
  const coding = headers['content-encoding'] ?? 'identity'
  if (coding.toLowerCase() !== 'identity') {
    throw new Fault('unsupported_media_type', 'The body must not be compressed. Remove Content-Encoding.')
  }
}

const parseBody = (body: Buffer, onScanned: (values: number) => void): unknown => {
  try {
    return parseStrictJson(body, { depth: limits.bodyDepth, keys: limits.bodyKeys }, onScanned)
  } catch (error) {
    throw error instanceof JsonRefused ? faultOf(error) : error
  }
}

const faultOf = (refused: JsonRefused): Fault => {
  const { kind, path, message } = refused
  return new Fault(unkeepable.has(kind) ? 'input_invalid' : 'invalid_request', `${path ?? 'The body'} ${message}`, {
    param: path,
    details: path === null ? [] : [{ param: path, message }],
    cause: refused,
  })
}

/** Valid JSON that cannot be stored exactly is 422; malformed JSON is 400. */
const unkeepable: ReadonlySet<JsonRefusal> = new Set(['number', 'character'])
