import type { Schema } from './document.ts'

/**
 * What a client library offers, without a word of any language. The printers of the SDKs read this and nothing else, so
 * that a new operation or type appears in all of them.
 *
 * Names: types are PascalCase (`RunError`), resources and operations camelCase (`apiKeys`, `rotateSecret`), fields and
 * parameters as on the wire (`agent_id`). A printer writes them in the case of its language.
 */
export type ClientModel = {
  /** The version of the SDKs: `0.1.0`. That of the API is in its document. */
  readonly version: string
  /** The path that base URLs end with: `/v2`. */
  readonly basePath: string
  /** In the order of the document. */
  readonly resources: readonly Resource[]
  /** Every named type, sorted by name. No name occurs twice. */
  readonly types: readonly NamedType[]
  /** Every event type with the type of its `data`. `Event` is the union of the envelopes. */
  readonly events: readonly EventKind[]
  /** Every error code of the service, sorted by code. */
  readonly errors: readonly ErrorKind[]
  /** The limits of the contract: sizes, counts and durations, with the unit last in the name (camelCase). */
  readonly limits: Readonly<Record<string, number>>
}

export type Resource = {
  /** `client.apiKeys` */
  readonly name: string
  /** One sentence. */
  readonly docs: string
  readonly operations: readonly ClientOperation[]
}

export type ClientOperation = {
  /** The `operationId`: `apiKeys.rotate`. */
  readonly id: string
  /** The part after the dot, the name of the method. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the base URL, with the parameters in braces: `/runs/{id}/action`. */
  readonly path: string
  /** The first line of the documentation, without a full stop at the end. */
  readonly summary: string
  /** Further paragraphs, Markdown. The last one says which scope is required. */
  readonly docs: readonly string[]
  /** In the order of the path. All are required. */
  readonly pathParameters: readonly Parameter[]
  /** Fields of the query. Only operations without a body have any. */
  readonly query: readonly Parameter[]
  readonly body?: Body
  readonly answer: Answer
  /**
   * It accepts `Idempotency-Key`. The client sends one key per logical call, the same in all its retries, and only then
   * may retry a POST after a lost response.
   */
  readonly idempotent: boolean
  /** It can wait for the result: the client sends `Prefer: wait=N` or `respond-async` if the caller says so. */
  readonly waits: boolean
  /** Called without a credential: login, invitation, password reset. */
  readonly anonymous: boolean
  /** Answers with a session cookie or needs one; of use in browsers only. */
  readonly forPeople: boolean
  /** Error codes of this operation beyond those that every operation can answer. */
  readonly errors: readonly string[]
}

export type Parameter = Field & {
  /**
   * How the value is written into the URL. `single`: as text. `comma`: a list, joined by commas. `deep`: a map, each pair
   * as `name[key]=value`.
   */
  readonly style: 'single' | 'comma' | 'deep'
}

/** The JSON body of a request. */
export type Body = {
  /** The name of an object or union of `types`. */
  readonly type: string
  /** False: the operation can be called without a body. Then a POST is sent without one. */
  readonly required: boolean
  /** The JSON Schema (2020-12) of the body, complete in itself: its references lead to its own `$defs`. */
  readonly schema: Schema
}

export type Answer =
  /** One JSON object. */
  | { readonly kind: 'record'; readonly type: TypeUse }
  /**
   * A page of a list: `data`, `has_more`, `first_id`, `last_id`. `item` is the type of one item, `type` the name of the
   * page. The next page is asked for with `after: last_id`, or with `before: first_id` if the caller began with `before`.
   * Only operations with the query parameters `after` and `before` have more than one page.
   */
  | { readonly kind: 'page'; readonly type: string; readonly item: TypeUse; readonly paged: boolean }
  /**
   * Server-sent events; the `data` of each is a `frame`. `ends`: the stream of a run ends with the run; the stream of
   * events does not end. A broken stream is resumed with `Last-Event-ID` by the operation `resumedBy`, which is a
   * GET: its path parameter is the `run_id` of any frame (or the response header `X-Run-Id`) if this one is a POST, and
   * it is this very operation otherwise.
   */
  | { readonly kind: 'stream'; readonly frame: TypeUse; readonly ends: boolean; readonly resumedBy: string }

/** The type of a field, a list item, a map value or an answer. */
export type TypeUse = {
  /** The value can be null. */
  readonly nullable: boolean
} & (
  | { readonly kind: 'string'; readonly format?: 'uri' | 'email' | 'password' }
  /** RFC 3339, on the wire a string: `2026-01-15T09:30:00.000Z`. */
  | { readonly kind: 'datetime' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  /** One fixed value: the `object` of a resource, the discriminator of a variant. */
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  /** Any JSON value. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'list'; readonly items: TypeUse }
  /** An object with arbitrary keys. */
  | { readonly kind: 'map'; readonly values: TypeUse }
  /** A type of `types`. */
  | { readonly kind: 'named'; readonly name: string }
)

export type NamedType = {
  readonly name: string
  /** May be empty. */
  readonly docs: string
  /** Whether clients send it, receive it, or both. */
  readonly sent: boolean
  readonly received: boolean
} & (ObjectType | EnumType | UnionType)

export type ObjectType = {
  readonly kind: 'object'
  readonly fields: readonly Field[]
  /**
   * Further fields occur that are not listed, by design (a frame). Every received object can gain fields with a new
   * release: ignore unknown fields, and keep them where the language can.
   */
  readonly loose: boolean
  /** The type of the items, if this is a page of a list. */
  readonly pageOf?: TypeUse
}

export type EnumType = {
  readonly kind: 'enum'
  readonly values: readonly string[]
  /** New values can appear in answers: unknown ones must be accepted. True for every received enum. */
  readonly open: boolean
}

export type UnionType = {
  readonly kind: 'union'
  /**
   * The field that says which variant it is, and the variant for each of its values (two values can have the same
   * variant). Absent if the variants have no such field.
   */
  readonly discriminator?: {
    readonly field: string
    readonly cases: readonly { readonly value: string; readonly type: string }[]
  }
  /** Each variant once. With a discriminator all are named objects. */
  readonly variants: readonly TypeUse[]
  /** New variants can appear in answers: unknown discriminators must be accepted. True for every received union. */
  readonly open: boolean
}

export type Field = {
  /** As on the wire. */
  readonly name: string
  readonly type: TypeUse
  readonly required: boolean
  /** Markdown; may be empty. */
  readonly docs: string
  /** What the service assumes if the field is omitted. */
  readonly default?: unknown
  /** Sent and never returned: passwords, secrets. */
  readonly secret: boolean
}

export type EventKind = {
  /** `run.completed` */
  readonly type: string
  /** When it occurs, a sentence without a full stop. */
  readonly docs: string
  /** The type of `data`. */
  readonly data: TypeUse
  /** The named type of the whole envelope: `RunCompletedEvent`. */
  readonly envelope: string
}

export type ErrorKind = {
  readonly code: string
  readonly status: number
  readonly meaning: string
  readonly advice: string
  /** Whether the same request can succeed later. */
  readonly retry: boolean
  /** Whether any operation can answer with it. Otherwise `ClientOperation.errors` says which do. */
  readonly everywhere: boolean
}
