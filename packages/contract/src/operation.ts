import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { AgentId, DeploymentId, RunId } from './ids.ts'
import type { Scope } from './scopes.ts'

/**
 * An operation is data. The gateway registers a route for each; the OpenAPI document, the SDK types and the access
 * tests are generated from the same rows.
 *
 * `input` is one flat object. Fields of the path template are read from the path; the others from the query for GET and
 * DELETE, and from the JSON body otherwise.
 */
export type Operation = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: `/${string}`
  readonly summary: string
  readonly description?: string
  /** Required, so that an operation without access control does not compile. */
  readonly scope: Scope | Openness
  /** Scopes that are required besides `scope`, whatever the input is. */
  readonly alsoScopes?: readonly Scope[]
  /** Scopes that depend on the input. The gateway checks them when it has parsed the input. */
  readonly conditionalScopes?: readonly ConditionalScope[]
  /**
   * The thing that the operation names, where access to it depends on an agent. The gateway resolves it under the
   * caller's access and hands it to the handler. Required where the input holds the id of such a thing.
   */
  readonly names?: Named
  /** Creating a run resolves the agent while it accepts the run, because an idempotent replay is answered first. */
  readonly resolvedIn?: 'accept'
  readonly status: 200 | 201
  /** Other success statuses that a handler can return with `Answer`. */
  readonly alsoStatus?: readonly [202]
  readonly input: z.ZodObject
  readonly output: z.ZodType
  /** Error codes of this operation; `protocolErrors` has those of every operation. */
  readonly errors: readonly ErrorCode[]
  /** It accepts an `Idempotency-Key`. */
  readonly idempotent?: true
  /** It can wait for the result, so it accepts `Prefer` (RFC 7240). */
  readonly prefers?: true
  /** It responds with server-sent events; `output` is the `data` of one event. */
  readonly streams?: true
  /** It responds with JSON Lines; `output` is one line. */
  readonly lines?: true
  /**
   * It responds with CSV, unless the client accepts JSON by name. `output` has the CSV as `content`, and a `filename`.
   */
  readonly csv?: true
  /** Pages of other origins can call it, with a short-lived token only. */
  readonly crossOrigin?: true
  /** What it creates outlives a short-lived token, so such a token cannot call it. */
  readonly lasting?: true
  /** The token of a shared link can call it, for its run only. All other operations refuse such a token. */
  readonly shared?: true
  /** Also served at the root, without the base path. */
  readonly alsoAtRoot?: true
}

/** A scope that is required where a field of the input has a certain value. */
export type ConditionalScope = {
  readonly scope: Scope
  /** Names are separated by dots for a field inside another. */
  readonly field: string
  /** In a list, one such item is enough. Omitted: any value but null and the empty list. */
  readonly values?: readonly string[]
  /** The scope is required instead of the scope of the row. Otherwise both are required. */
  readonly instead?: true
}

/** Operations without a scope: `anyone` needs no credential, `signed_in` any valid credential. */
export type Openness = 'anyone' | 'signed_in'

/** One thing, by the field `id` of the input; `agents`: a list of things that belong to agents. */
export type Named = 'agent' | 'run' | 'deployment' | 'agents'

export type Operations = Readonly<Record<string, Operation>>

export const operation = <const O extends Operation>(spec: O & NameRule<O, z.output<O['input']>>): O => spec

/** What the row of an operation must say because of the ids in its input. */
type NameRule<O, Input> = Input extends { id: AgentId }
  ? { readonly names: 'agent' }
  : Input extends { id: RunId }
    ? { readonly names: 'run' }
    : Input extends { id: DeploymentId }
      ? { readonly names: 'deployment' }
      : Input extends { agent_id: AgentId }
        ? { readonly names: 'agent'; readonly resolvedIn: 'accept' }
        : O extends { readonly method: 'GET' }
          ? ListRule<Input>
          : unknown

type ListRule<Input> = [Extract<OptionalIds<Input>, AgentId | RunId | DeploymentId>] extends [never]
  ? unknown
  : { readonly names: 'agents' }

type OptionalIds<Input> = { [Field in keyof Input]-?: NonNullable<Input[Field]> }[keyof Input]

/** A body with another status or additional headers. */
export class Answer<Body> {
  readonly body: Body
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[]>>

  constructor(body: Body, { status, headers }: { status?: number; headers?: Record<string, string | string[]> }) {
    this.body = body
    this.status = status
    this.headers = headers ?? {}
  }
}

/** Receives the frames of a stream. The gateway handles heartbeats, slow readers and disconnects. */
export type StreamSink = {
  /**
   * Complete encoded frames and their number. All readers of a run receive the same string. Returns false if the reader
   * is slow: the caller should wait for `whenReady`.
   */
  write(frames: string, count: number): boolean
  /** Calls back once, when a slow reader has consumed its buffer. */
  whenReady(listener: () => void): void
  /** The stream has ended; the client does not reconnect. */
  end(): void
  /** Ends the stream early (gateway stops, database unavailable): the client reconnects and resumes by id. */
  interrupt(): void
}

/** The response of a streaming operation: headers, then frames. */
export class EventStream {
  readonly headers: Readonly<Record<string, string>>
  /** Starts to write frames to the sink and returns a function that stops it. */
  readonly attach: (sink: StreamSink) => () => void

  constructor(headers: Readonly<Record<string, string>>, attach: (sink: StreamSink) => () => void) {
    this.headers = headers
    this.attach = attach
  }
}

/** The response of an operation with `lines`. The gateway reads the next lines when the client has taken the last ones. */
export class LineStream {
  readonly headers: Readonly<Record<string, string>>
  /** Each text is one or more whole lines. */
  readonly lines: AsyncIterable<string>

  constructor(headers: Readonly<Record<string, string>>, lines: AsyncIterable<string>) {
    this.headers = headers
    this.lines = lines
  }
}

/**
 * One function per operation. A missing function or a wrong return type does not compile. `Things`: the type that the
 * gateway resolves each name to. The handler of a named thing gets the thing and not its id.
 */
export type Handlers<Ops extends Operations, Ctx, Things = unknown> = {
  readonly [Name in keyof Ops]: (
    ctx: Ctx,
    input: InputOf<Ops[Name]>,
    ...named: NamedThing<Ops[Name], Things>
  ) => Promise<Returned<Ops[Name]>>
}

type Returned<O extends Operation> = O extends { streams: true }
  ? EventStream
  : O extends { lines: true }
    ? LineStream
    : Result<z.input<O['output']>>

type InputOf<O extends Operation> = O extends { resolvedIn: 'accept' }
  ? z.output<O['input']>
  : O extends { names: Exclude<Named, 'agents'> }
    ? Omit<z.output<O['input']>, 'id'>
    : z.output<O['input']>

type NamedThing<O extends Operation, Things> = O extends { resolvedIn: 'accept' }
  ? []
  : O extends { names: infer Name }
    ? [thing: Name extends keyof Things ? Things[Name] : never]
    : []

type Result<Body> = Body | Answer<Body>
