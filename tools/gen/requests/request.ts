/** A text with the values that a reader's program puts into it. */
export type Text = readonly TextPart[]

export type TextPart =
  | string
  | { readonly variable: string }
  /** Seconds since 1970, or the month in UTC, such as 2030-01. */
  | { readonly clock: 'seconds' | 'month' }
  /** A date in the past. */
  | { readonly agoMs: number }

/** A JSON value. A string can hold variables; a text that stands alone is a number or another bare value. */
export type Json =
  | null
  | boolean
  | number
  | Bare
  | Quoted
  | readonly Json[]
  | { readonly fields: readonly [string, Json][] }
export type Quoted = { readonly quoted: Text }
export type Bare = { readonly bare: TextPart }

export type Request = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the base URL, without the query. */
  readonly path: Text
  readonly query: readonly { readonly name: string; readonly value: Text; readonly isEncoded: boolean }[]
  /** Beside the credential and the content type. */
  readonly headers: readonly { readonly name: string; readonly value: Text }[]
  readonly body?: { readonly json: Json /** As the shell writes it. */; readonly source: string }
  /** The reader sees status and headers of the response. */
  readonly showsHeaders: boolean
}

/** One step of a block. `save` is the variable of the shell that gets the value. */
export type Statement =
  /** The address of the service and the key. */
  | { readonly kind: 'setup' }
  /** The id of the active agent with this name. */
  | { readonly kind: 'agent'; readonly agent: string; readonly save: string }
  /** With a `field` it prints or saves the value at this path of the answer, otherwise the answer. */
  | { readonly kind: 'request'; readonly request: Request; readonly field?: string; readonly save?: string }
  | { readonly kind: 'field'; readonly of: string; readonly field: string; readonly save?: string }
  | { readonly kind: 'text'; readonly text: Text; readonly save: string }
  /** Until the field has this value. */
  | { readonly kind: 'wait'; readonly request: Request; readonly field: string; readonly value: string }
  | { readonly kind: 'sleep'; readonly seconds: number }
