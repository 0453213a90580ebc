import type { Clock } from './clock.ts'

/** What a client is made with. Everything may be left out: the key and the address are then those of the environment. */
export type ClientOptions = {
  /** An API key, or a short-lived token made from one. `ARS_API_KEY` unless told. */
  apiKey?: string | undefined
  /** With the version at its end. `ARS_BASE_URL` unless told, else https://localhost:8443/v2. */
  baseUrl?: string | undefined
  /** Another `fetch`: one that trusts a private authority, goes through a proxy, or is part of a test. */
  fetch?: Fetch | undefined
  /** How often a call is tried again after its first failure; 2 unless told. */
  maxRetries?: number | undefined
  /** How long one try may take, from its first byte to the last of the answer; 60 s unless told. */
  timeoutMs?: number | undefined
  /** Where time and chance come from. For tests. */
  clock?: Clock | undefined
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type CallOptions = {
  /** Stops the call; it then throws the signal's reason. What the service has begun goes on. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

/** For calls that create something. */
export type CreateOptions = {
  /**
   * The same key with the same parameters creates one thing, however often it is sent within 24 hours. Without one the client
   * makes a key for each call and keeps it for that call's retries; give your own to be safe across restarts of your program.
   */
  idempotencyKey?: string | undefined
}

/** For calls that can wait for a result. */
export type WaitOptions = {
  /** Seconds, 1 to 300, or false for no wait at all; the service waits 55 s unless told. What is not finished then goes on. */
  wait?: number | false | undefined
}

export type StreamOptions = CallOptions & {
  /** A stream that has been silent for so long is taken for dead and resumed; 45 s unless told. It beats every 15 s. */
  idleTimeoutMs?: number | undefined
  /** How long a broken stream is tried to be resumed; 5 minutes for a run unless told, for events without end. */
  resumeForMs?: number | undefined
  /** Goes on after this frame, as a stream does by itself after a break. */
  lastEventId?: string | undefined
}

/** What may be left out may also be given as `undefined`. */
export type Given<Params> = {
  [Name in keyof Params]: Record<never, never> extends Pick<Params, Name> ? Params[Name] | undefined : Params[Name]
}
