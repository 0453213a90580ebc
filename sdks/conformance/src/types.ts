/** The format of a transcript. README.md explains every field. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

export type CaseFile = { about: string; cases: readonly Template[] }

/** A case as it is written: `each` makes one case for every value. */
export type Template = Case & { each?: Readonly<Record<string, readonly Json[]>> }

export type Case = {
  name: string
  client?: ClientOptions
  calls: readonly Call[]
  exchanges?: readonly Exchange[]
  /** Requests that are answered at any time and in any number. */
  also?: readonly Exchange[]
  /** A runner whose language cannot do this may leave the case out. */
  may_skip?: string
}

export type ClientOptions = { max_retries?: number; timeout_ms?: number }

export type Call = {
  do: 'call' | 'list' | 'stream' | 'text' | 'final_run' | 'output_text' | 'unwrap'
  operation?: string
  /** The values of the path parameters, in the order of the path. */
  path?: readonly string[]
  query?: JsonObject
  body?: JsonObject
  options?: CallOptions
  /** Leaves the list or the stream after this number of items. */
  take?: number
  /** Cancels the call when the server has received this number of requests. */
  cancel_after_requests?: number
  delivery?: Delivery
  expect: JsonObject
}

export type CallOptions = ClientOptions & {
  idempotency_key?: string
  wait?: number | false
  headers?: Readonly<Record<string, string>>
  idle_timeout_ms?: number
  resume_for_ms?: number
  last_event_id?: string
}

/** What `unwrap` verifies. */
export type Delivery = {
  secrets: readonly string[]
  now: number
  headers: Readonly<Record<string, string>>
  body: string
}

export type Exchange = { request: ExpectedRequest; reply: Reply }

export type ExpectedRequest = {
  method: string
  path: string
  query?: JsonObject
  headers?: JsonObject
  body?: Json
  /** The position of an earlier request with the same method, path, body bytes and idempotency key. */
  repeats?: number
  /** The least time since the end of the reply before it. */
  after_ms?: number
}

export type Reply = {
  status?: number
  headers?: Readonly<Record<string, Json>>
  json?: Json
  text?: string
  sse?: readonly SseItem[]
  /** Leaves out the frames up to the id in this header of the request. */
  sse_after?: string
  /** Sends only this number of bytes or, of `sse`, of items; then it does what `end` says. */
  cut_after_bytes?: number
  cut_after_items?: number
  /** `close` ends the response, `drop` destroys the connection, `hang` leaves it open. */
  end?: 'close' | 'drop' | 'hang'
  delay_ms?: number
  chunk_bytes?: number
  pause_ms?: number
  /** The client must end this response. */
  client_closes?: boolean
}

export type SseItem =
  | { id?: string; event?: string; data: Json }
  | { retry: number }
  | { comment: string }
  | { raw: string }
