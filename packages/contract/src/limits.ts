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
  /** Keys of an organisation that are not revoked. */
  keysPerOrganisation: 1_000,
  membersPerOrganisation: 1_000,
  /** Invitations that wait for an answer. */
  invitationsPerOrganisation: 100,
  invitationDays: 7,
  passwordResetHours: 24,
  keyNameChars: 200,
  agentsPerKey: 100,
  /** How long a rotated key goes on working. */
  keyGraceHours: 24,
  sessionTokenDefaultSeconds: 900,
  sessionTokenMaxSeconds: 86_400,
  sessionIdleHours: 12,
  sessionMaxDays: 7,
  emailChars: 254,
  passwordMinChars: 12,
  passwordMaxChars: 1_000,
  /** Passwords that are looked at for one account, and from one address, in a quarter of an hour. */
  loginsPerAccount: 10,
  loginsPerAddress: 100,
  loginWindowSeconds: 900,
  /** Bytes of an address: path and query. */
  urlBytes: 8_192,
  headerCount: 100,
  agentsPerOrganisation: 1_000,
  agentNameChars: 200,
  agentDescriptionChars: 2_000,
  instructionsChars: 500_000,
  /** Connectors that one agent uses. */
  toolsPerAgent: 16,
  policiesPerAgent: 20,
  versionsPerAgent: 10_000,
  rollbackRulesMax: 5,
  rollbackMinRunsMax: 2_000,
  webhooksPerOrganisation: 100,
  webhookEvents: 50,
  webhookUrlChars: 2_048,
  webhookSecretMinChars: 24,
  webhookSecretMaxChars: 256,
  /** How long the old secret signs beside the new one, unless told otherwise. */
  webhookSecretOverlapHours: 24,
  webhookSecretOverlapMaxHours: 168,
  deliveryAttempts: 3,
  /** An endpoint acknowledges within this time, its whole answer read, or the attempt has failed. */
  deliveryTimeoutSeconds: 10,
  /** What is kept of an endpoint's answer. */
  deliveryAnswerBytes: 16_384,
  /** Requests under way to one endpoint at once. */
  deliveriesUnderWayPerWebhook: 10,
  /** Deliveries that may wait for one endpoint. Beyond it they are recorded as failed, and can be recovered. */
  deliveriesWaitingPerWebhook: 100_000,
  /** Days of nothing but failure after which an endpoint is disabled. */
  webhookFailingDays: 5,
  /** Recoveries of one endpoint that run at once. */
  recoveriesPerWebhook: 1,
  pageSizeDefault: 20,
  pageSizeMax: 100,
} as const
