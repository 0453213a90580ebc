/** Every bound that a client can meet, by name. The unit stands last. */
export const limits = {
  bodyBytes: 1_048_576,
  /** Objects and lists inside one another, the body itself being the first. */
  bodyDepth: 32,
  /** Keys of any one object in a body. */
  bodyKeys: 1_000,
  headerBytes: 16_384,
  idempotencyKeyChars: 255,
  idempotencyKeyHours: 24,
  metadataKeys: 16,
  metadataKeyChars: 64,
  metadataValueChars: 512,
  /** Below the 60 s at which common proxies cut an idle request. */
  waitDefaultSeconds: 55,
  waitMaxSeconds: 300,
  runTimeoutDefaultSeconds: 600,
  runTimeoutMaxSeconds: 86_400,
  /** While a person is asked the run's own clock stands still; the question waits so long at the most. */
  actionTimeoutMaxSeconds: 604_800,
  /** Decisions and messages that one run takes. */
  actionsPerRun: 2_000,
  commentChars: 2_000,
  messageChars: 100_000,
  outputBytes: 10_485_760,
  /** Model calls and groups of tool calls of one run, unless its agent says otherwise. */
  stepsDefault: 100,
  stepsMax: 1_000,
  /** Runs of an organisation that may wait for a slot, as a multiple of those that may run at once. */
  queuedPerSlot: 10,
  /** A comment is sent on a silent stream so often, because proxies cut what is silent. */
  streamHeartbeatSeconds: 15,
  /** What is kept for a slow reader; then its stream is closed, and it resumes by id. */
  streamBufferBytes: 262_144,
  /** Streams that one key may hold open at one gateway. */
  streamsPerKey: 1_000,
  pageSizeDefault: 20,
  pageSizeMax: 100,
} as const
