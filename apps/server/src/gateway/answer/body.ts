import { setImmediate as nextTurn } from 'node:timers/promises'
import { limits } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import { type JsonRefusal, JsonRefused, parseStrictJson, parseStrictJsonInTurns } from '@ars/platform/json'
import type { FastifyInstance } from 'fastify'
import { serverBounds } from '../../bounds.ts'
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
      const hold = (values: number): void => incoming.holdValues(request, values)
      try {
        requirePlainUtf8(request.headers)
        // An empty body is valid for operations without required fields.
        if (bytes === undefined || bytes.length === 0) return done(null, undefined)
        if (bytes.length <= limits.bodyBytes) return done(null, parseBody(bytes, hold))
      } catch (refused) {
        return done(refused as Error)
      }
      parseLargeBody(bytes, hold).then(
        (parsed) => done(null, parsed),
        (refused: Error) => done(refused),
      )
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

/** A large body is parsed in turns of this size, because all other requests of the process wait for each. */
const turnChars = 262_144

/** Values of a large body. They take more memory than its text. */
const maxLargeValues = serverBounds.valuesOfLargeBody.count

const parseLargeBody = async (body: Buffer, onScanned: (values: number) => void): Promise<unknown> => {
  const turns = { chars: turnChars, memberChars: limits.bodyBytes, pause: () => nextTurn() }
  let values = 0
  const count = (more: number): void => {
    values += more
    if (values > maxLargeValues) {
      throw new Fault('body_too_large', `The body has more than ${maxLargeValues} values`)
    }
    onScanned(more)
  }
  try {
    return await parseStrictJsonInTurns(body, { depth: limits.bodyDepth, keys: limits.bodyKeys, ...turns }, count)
  } catch (error) {
    throw error instanceof JsonRefused ? faultOf(error) : error
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
  if (kind === 'size')
    return new Fault('body_too_large', `${path ?? 'The body'} has more than ${limits.bodyBytes} bytes`, { param: path })
  return new Fault(unkeepable.has(kind) ? 'input_invalid' : 'invalid_request', `${path ?? 'The body'} ${message}`, {
    param: path,
    details: path === null ? [] : [{ param: path, message }],
    cause: refused,
  })
}

/** Valid JSON that cannot be stored exactly is 422; malformed JSON is 400. */
const unkeepable: ReadonlySet<JsonRefusal> = new Set(['number', 'character'])
