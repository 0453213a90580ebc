import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scopes.ts'

/**
 * An operation is data. The gateway is one loop over all of them; the OpenAPI document, the SDK types and the
 * access tests are made from the same rows.
 *
 * `input` is one flat object. A field named in the path template is read from the path; the rest comes from the
 * query for GET and DELETE, and from the JSON body otherwise.
 */
export type Operation = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: `/${string}`
  readonly summary: string
  readonly description?: string
  /** Required: an operation that forgets who may call it does not compile. */
  readonly scope: Scope | Openness
  readonly status: 200 | 201
  /** Other success codes that a handler may choose with `answer()`. */
  readonly alsoStatus?: readonly [202]
  readonly input: z.ZodObject
  readonly output: z.ZodType
  /** What the operation itself may refuse with; what every operation may answer is in `protocolErrors`. */
  readonly errors: readonly ErrorCode[]
  /** It creates something, so it takes an `Idempotency-Key`. */
  readonly idempotent?: true
  /** It may wait for the result, so it takes `Prefer` (RFC 7240). */
  readonly prefers?: true
  /** It answers with server-sent events; `output` is the `data` of one of them. */
  readonly streams?: true
  /** A page of another origin may call it, with a short-lived token and with nothing else. */
  readonly crossOrigin?: true
  /** Served at the root too, beside the base address. */
  readonly alsoAtRoot?: true
}

/** For the few operations that need no scope: `anyone` needs no credential, `signed_in` needs any that is valid. */
export type Openness = 'anyone' | 'signed_in'

export type Operations = Readonly<Record<string, Operation>>

export const operation = <const O extends Operation>(spec: O): O => spec

/** A body together with another status or further headers than the operation's own. */
export class Answer<Body> {
  readonly body: Body
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(body: Body, { status, headers }: { status?: number; headers?: Record<string, string> }) {
    this.body = body
    this.status = status
    this.headers = headers ?? {}
  }
}

/** Where the frames of a stream go. The gateway minds heartbeats, slow readers and clients that leave. */
export type StreamSink = {
  /**
   * Whole frames, encoded, and how many. Many readers of one run are given the same string. False: the reader is slow,
   * and what can wait had better wait until it is ready.
   */
  write(frames: string, count: number): boolean
  /** Calls back once, when a reader that was slow has taken what it was given. */
  whenReady(listener: () => void): void
  /** The stream is over; the client is not expected back. */
  end(): void
  /** It must be given up (the gateway stops, the database is away): the client comes back and resumes by id. */
  interrupt(): void
}

/** The answer of a streaming operation: headers that leave before the first byte, then frames until its end. */
export class EventStream {
  readonly headers: Readonly<Record<string, string>>
  /** Begins to give frames to the sink, and answers how to stop. */
  readonly attach: (sink: StreamSink) => () => void
  /** It has no end of its own, so the gateway looks again and again whether its reader may still read. */
  readonly isEndless: boolean

  constructor(
    headers: Readonly<Record<string, string>>,
    attach: (sink: StreamSink) => () => void,
    { isEndless = false }: { isEndless?: boolean } = {},
  ) {
    this.headers = headers
    this.attach = attach
    this.isEndless = isEndless
  }
}

/** One function per operation; a missing one, or one that answers the wrong shape, does not compile. */
export type Handlers<Ops extends Operations, Ctx> = {
  readonly [Name in keyof Ops]: (
    ctx: Ctx,
    input: z.output<Ops[Name]['input']>,
  ) => Promise<Ops[Name] extends { streams: true } ? EventStream : Result<z.input<Ops[Name]['output']>>>
}

type Result<Body> = Body | Answer<Body>
