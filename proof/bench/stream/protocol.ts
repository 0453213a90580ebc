/** The measured side: the service's gateway, or the bare server. */
export type StreamSide = 'service' | 'control'
export type StreamProtocol = 'h1' | 'h2'

/** The input of the runs that are watched: a piece of text a second, for longer than any measurement takes. */
export const speech = { delay_ms: 1000, chunk_chars: 32, chunks: 3000 } as const
export const speechTimeoutSeconds = 3600

/** Streams of one HTTP/2 connection: as many as the gateway allows. */
export const streamsPerConnection = 200

/** As long as an id of the service: frames of both sides have the same bytes. */
export const bareRunId = (at: number): string => `run_${String(at).padStart(26, '0')}`

export type StreamSetup = {
  kind: 'setup'
  ca: string
  /** The gateway, and who may call it. */
  service: { origin: string; callers: StreamCaller[] }
  /** The bare server listens once for each protocol. */
  control: Record<StreamProtocol, string>
}

export type StreamCaller = {
  authorization: string
  agentId: string
}

export type OpenOrder = {
  kind: 'open'
  side: StreamSide
  protocol: StreamProtocol
  streams: number
  /** How many runs the streams share; each run has the same number of them, give or take one. */
  runs: number
}

export type ToStreamGenerator =
  | StreamSetup
  | OpenOrder
  | { kind: 'begin window'; side: StreamSide }
  | { kind: 'end window' }
  /** Has the service's runs cancelled; the control's are ended by the process that started it. */
  | { kind: 'cancel' }
  | { kind: 'await end'; side: StreamSide }

/** What came within a window: pieces of text only. */
export type StreamTally = {
  events: number
  bytes: number
  latencyMs: { p50: number; p99: number; most: number }
}

/** What one stream was given, from its first frame to its last. */
export type StreamOutcome = {
  run: string
  firstId: number
  lastId: number
  frames: number
  deltas: number
  /** Frames whose number did not follow that of the frame before. */
  gaps: number
  duplicates: number
  /** The name of its last event, if that ends a run. */
  ending: string | undefined
  /** Why it broke, in words. */
  failure: string | undefined
}

export type StreamAnswers = {
  setup: undefined
  open: { tookMs: number }
  'begin window': undefined
  'end window': StreamTally
  cancel: undefined
  'await end': StreamOutcome[]
}

export type FromStreamGenerator = { result: unknown } | { failure: string }

export type ToBare = { kind: 'speak'; isOn: boolean } | { kind: 'end' }
/** The last number of each run, in the order of the runs. */
export type FromBare = { kind: 'ready' } | { kind: 'ended'; lastIds: number[] }
