import { type Break, findBreaks } from '@ars/tools/gen/breaking'
import type { Document } from '@ars/tools/gen/document'

/** A small API with one of everything. Each row of the tests edits a copy of it and says what must be found. */
export const api = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '2.0.0' },
  servers: [{ url: 'https://{host}/v2' }],
  security: [{ bearer: [] }, { session: [] }],
  paths: {
    '/things': {
      get: {
        operationId: 'things.list',
        'x-scope': 'things:read',
        parameters: [
          {
            name: 'limit',
            in: 'query',
            required: false,
            schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          },
          { name: 'status', in: 'query', required: false, schema: { type: 'string', enum: ['new', 'old'] } },
          { $ref: '#/components/parameters/Prefer' },
        ],
        responses: {
          200: {
            content: {
              'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } },
            },
          },
        },
      },
      post: {
        operationId: 'things.create',
        'x-scope': 'things:write',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/NewThing' } } },
        },
        responses: {
          200: {
            headers: {
              'X-Request-Id': { required: true, schema: { type: 'string' } },
              Location: { schema: { type: 'string' } },
            },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          202: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
    '/things/{id}/touch': {
      post: {
        operationId: 'things.touch',
        'x-scope': 'signed_in',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^t_' } }],
        requestBody: {
          required: false,
          content: { 'application/json': { schema: { type: 'object', properties: { why: { type: 'string' } } } } },
        },
        responses: {
          200: {
            content: {
              'application/json': { schema: { type: 'object', properties: { touched: { type: 'boolean' } } } },
            },
          },
        },
      },
    },
    '/health': {
      get: { operationId: 'health.get', 'x-scope': 'anyone', security: [], responses: { 200: {} } },
    },
  },
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'A key.' },
      session: { type: 'apiKey', in: 'cookie', name: 'session' },
    },
    parameters: { Prefer: { name: 'Prefer', in: 'header', required: false, schema: { type: 'string' } } },
    responses: { NotFound: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } } },
    schemas: {
      Error: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
      NewThing: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 64 },
          note: { type: ['string', 'null'] },
          size: { type: 'number' },
          tags: { type: 'array', items: { type: 'string' }, maxItems: 16 },
          labels: { type: 'object', additionalProperties: { type: 'string' }, propertyNames: { maxLength: 64 } },
          place: {
            anyOf: [{ type: 'string' }, { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] }],
          },
        },
        required: ['name'],
        additionalProperties: false,
      },
      Thing: {
        type: 'object',
        properties: {
          id: { type: 'string', pattern: '^t_' },
          status: { type: 'string', enum: ['new', 'old'] },
          at: { type: 'string', format: 'date-time' },
          count: { type: 'integer' },
          note: { type: 'string' },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          parent: { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
          maker: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
        required: ['id', 'status', 'at', 'count', 'parent', 'maker'],
      },
    },
  },
}

export type Edit = (copy: typeof api) => void

/** Sets what lies at the end of a path of words, or takes it away. */
export const put = (path: string, value: unknown): Edit => {
  return (copy) => {
    const words = path.split(' ')
    const last = words.pop() ?? ''
    const holder = words.reduce((node, word) => node[word] as Node, copy as Node)
    holder[last] = value
    if (value === undefined) Reflect.deleteProperty(holder, last)
  }
}

type Node = Record<string, unknown>

export const breaksAfter = (...edits: Edit[]): Break[] => {
  const copy = structuredClone(api)
  for (const edit of edits) edit(copy)
  return findBreaks(api as unknown as Document, copy as unknown as Document)
}
