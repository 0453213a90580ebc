import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type {
  AgentId,
  AlertDestinationId,
  AlertId,
  AlertRuleId,
  ApiKeyId,
  AuditEntryId,
  BatchId,
  ConnectorId,
  DeliveryId,
  DeploymentId,
  EventId,
  InvitationId,
  MemberId,
  PipelineId,
  PipelineRunId,
  PolicyAttachmentId,
  PolicyId,
  PolicyTrialId,
  RecoveryId,
  RunId,
  RunShareId,
  ScheduleFiringId,
  ScheduleId,
  WebhookId,
} from './ids.ts'
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
  /** Scopes that depend on what is stored. The service checks them when it has read it. */
  readonly storedScopes?: readonly StoredScope[]
  /**
   * What the operation is about, where access depends on the agents of the caller. The gateway resolves it under the
   * caller's access before the handler is called. Required, as the scope is: the ids in the input decide what it may be.
   */
  readonly names: Named
  /** The optional field with the id of the named thing, if it is not `id`. Without it the handler gets null. */
  readonly by?: string
  /** Who did this cannot call it: neither the key nor the keys that come from it. The service finds out who did. */
  readonly separateFrom?: Duty
  /** It shows or starts runs of others, so a credential that sees only the runs that it created cannot call it. */
  readonly allRuns?: true
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
  /** `required`: only a person in a browser session can call it. `suffices`: a browser session needs no scope for it. */
  readonly session?: 'required' | 'suffices'
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

/** A scope that is required where the thing that the operation names is of a certain kind. */
export type StoredScope = { readonly scope: Scope; readonly when: StoredFact }

/** What of a stored thing requires a scope, as the end of a sentence that begins with “if”. */
export const storedFacts = {
  event_of_run: 'the event is about a run',
  webhook_of_runs: 'the webhook gets events of runs',
  moved_webhook_of_runs: 'the webhook gets events of runs and its `url` changes',
  kept_approval: 'a step that runs again depends on an approval that is kept',
  policy_that_sends: 'a rule of the policy has the check `http`, `presidio` or `model`',
  resumed_policy_that_sends: 'a rule of the policy has such a check and its `mode` changes',
} as const

export type StoredFact = keyof typeof storedFacts

/** What the key that did it, and the keys that come from it, cannot go on with, as the end of a sentence about the key. */
export const duties = {
  moved_connector: 'has changed the address of this connector, so it cannot approve the tools',
} as const

export type Duty = keyof typeof duties

/** Operations without a scope: `anyone` needs no credential, `signed_in` any valid credential. */
export type Openness = 'anyone' | 'signed_in'

/**
 * `agent`, `run`, `deployment`: one thing, by the field `id` of the input. `agents`: things that belong to agents; the
 * handler gets the agents that the caller may use. `organisation`: it concerns every agent, so a narrowed key, a demo key
 * and the token of a run are refused. `nothing`: nothing in it belongs to an agent.
 */
export type Named = NamedThing | 'agents' | 'organisation' | 'nothing'
type NamedThing = 'agent' | 'run' | 'deployment'

export type Operations = Readonly<Record<string, Operation>>

export const operation = <const O extends Operation>(spec: O & NameRule<O, z.output<O['input']>>): O => spec

/** What the row of an operation must say because of the ids in its input. Only for what serves all agents the method matters. */
type NameRule<O, Input> = Input extends { id: AgentId }
  ? { readonly names: 'agent' }
  : Input extends { id: RunId }
    ? { readonly names: 'run' }
    : Input extends { id: DeploymentId }
      ? { readonly names: 'deployment' }
      : Input extends { agent_id: AgentId }
        ? { readonly names: 'agent'; readonly resolvedIn: 'accept' }
        : O extends { readonly by: keyof Input }
          ? ByRule<Input[O['by']]>
          : O extends { readonly method: 'GET' }
            ? ListRule<IdsIn<Input>>
            : ListRule<IdsIn<Input>, OfOrganisation | OfAll>

type ByRule<Id> = [NonNullable<Id>] extends [AgentId]
  ? { readonly names: 'agent' }
  : [NonNullable<Id>] extends [RunId]
    ? { readonly names: 'run' }
    : { readonly names: 'deployment' }

type ListRule<Ids, Whole = OfOrganisation> = [Extract<Ids, Whole>] extends [never]
  ? [Extract<Ids, OfAgents>] extends [never]
    ? { readonly names: 'agents' | 'organisation' | 'nothing' }
    : { readonly names: 'agents' | 'organisation' }
  : { readonly names: 'organisation' }

/** Things that concern every agent of the organisation. */
type OfOrganisation =
  | AlertDestinationId
  | DeliveryId
  | EventId
  | PolicyAttachmentId
  | PolicyId
  | PolicyTrialId
  | RecoveryId
  | WebhookId

/** Things that a key for some agents may see, and not change: they serve all agents. */
type OfAll = ConnectorId | InvitationId | MemberId

/** Agents, and things that belong to some of them. */
type OfAgents =
  | AgentId
  | AlertId
  | AlertRuleId
  | ApiKeyId
  | AuditEntryId
  | BatchId
  | DeploymentId
  | PipelineId
  | PipelineRunId
  | RunId
  | RunShareId
  | ScheduleFiringId
  | ScheduleId

/** The ids anywhere in the input, in objects and lists too. */
type IdsIn<Value> = Value extends string
  ? Extract<Value, OfAgents | OfOrganisation | OfAll>
  : Value extends readonly (infer Item)[]
    ? IdsIn<Item>
    : Value extends object
      ? { [Field in keyof Value]: IdsIn<Value[Field]> }[keyof Value]
      : never

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
    ...named: ResolvedThing<Ops[Name], Things>
  ) => Promise<Returned<Ops[Name]>>
}

type Returned<O extends Operation> = O extends { streams: true }
  ? EventStream
  : O extends { lines: true }
    ? LineStream
    : Result<z.input<O['output']>>

type InputOf<O extends Operation> = O extends { resolvedIn: 'accept' }
  ? z.output<O['input']>
  : O extends { names: NamedThing }
    ? Omit<z.output<O['input']>, O extends { by: infer Field } ? Field & string : 'id'>
    : z.output<O['input']>

type ResolvedThing<O extends Operation, Things> = O extends { resolvedIn: 'accept' }
  ? []
  : O extends { names: infer Name }
    ? Name extends keyof Things
      ? [thing: O extends { by: string } ? Things[Name] | null : Things[Name]]
      : []
    : []

type Result<Body> = Body | Answer<Body>
