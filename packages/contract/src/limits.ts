/** Every limit that a client can reach. The name ends in the unit. */
export const limits = {
  bodyBytes: 1_048_576,
  /** Nested objects and lists, including the body. */
  bodyDepth: 32,
  /** Keys of one object in a body. */
  bodyKeys: 1_000,
  headerBytes: 16_384,
  idempotencyKeyChars: 255,
  idempotencyKeyHours: 24,
  metadataKeys: 16,
  metadataKeyChars: 64,
  metadataValueChars: 512,
  /** Below the 60 s after which common proxies close an idle request. */
  waitDefaultSeconds: 55,
  waitMaxSeconds: 300,
  runTimeoutDefaultSeconds: 600,
  runTimeoutMaxSeconds: 86_400,
  /** Maximum wait for a person. The timeout of the run does not advance during it. */
  actionTimeoutMaxSeconds: 604_800,
  /** Decisions and messages that one run accepts. */
  actionsPerRun: 2_000,
  commentChars: 2_000,
  messageChars: 100_000,
  outputBytes: 10_485_760,
  /** Input and steps of one run. Beyond it, the run begins no further step and fails. */
  runStoredBytes: 67_108_864,
  /** Results of the tool calls of one step. Beyond it, the model gets an error in place of a result. */
  stepResultBytes: 10_485_760,
  /** Tool calls in one answer of a model. Beyond it, the model call fails. */
  toolCallsPerStep: 128,
  /** Model calls and groups of tool calls of one run. An agent can set another value. */
  stepsDefault: 100,
  stepsMax: 1_000,
  /** Queued runs of an organisation, as a multiple of its concurrent runs. */
  queuedPerSlot: 10,
  /** Interval of comments on an idle stream, because proxies close idle connections. */
  streamHeartbeatSeconds: 15,
  /** Buffer for a slow reader. Beyond it, the stream is closed and the reader resumes by id. */
  streamBufferBytes: 262_144,
  /** Open streams of one key at one gateway. */
  streamsPerKey: 1_000,
  /** Active keys of an organisation. */
  keysPerOrganisation: 1_000,
  membersPerOrganisation: 1_000,
  /** Open invitations. */
  invitationsPerOrganisation: 100,
  invitationDays: 7,
  passwordResetHours: 24,
  emailProofHours: 24,
  /** Mails of an organisation with links: invitations, resets, proofs. Beyond it, links are passed on by hand. */
  linkMailsPerDay: 500,
  /** Mails with links to one address, of all organisations together. Beyond it, links are passed on by hand. */
  linkMailsPerAddressPerDay: 3,
  /** How long after the mail of an invitation the same organisation mails no other one to the same address. */
  invitationMailEveryMinutes: 60,
  /** Mails of an organisation about events. Beyond it, none is written. */
  eventMailsPerDay: 2_000,
  alertDestinationsPerOrganisation: 10,
  keyNameChars: 200,
  agentsPerKey: 100,
  /** How long a rotated key continues to work. */
  keyGraceHours: 24,
  /** How long before its end a key is announced by `api_key.expiring`. */
  keyExpiringDays: 7,
  sessionTokenDefaultSeconds: 900,
  sessionTokenMaxSeconds: 86_400,
  shareDefaultSeconds: 604_800,
  shareMaxSeconds: 2_592_000,
  /** Links to one run that have not expired. */
  sharesPerRun: 20,
  /** Links of an organisation that have not expired. */
  sharesPerOrganisation: 1_000,
  /** Requests with one link, by everyone who has it. A lower rate of the organisation applies instead. */
  shareRequestsPerMinute: 300,
  shareBurst: 450,
  /** Open streams of one link at one gateway. */
  streamsPerShare: 100,
  sessionIdleHours: 12,
  sessionMaxDays: 7,
  emailChars: 254,
  passwordMinChars: 12,
  passwordMaxChars: 1_000,
  /** Passwords that are checked per account and per address within the window. */
  loginsPerAccount: 10,
  loginsPerAddress: 100,
  loginWindowSeconds: 900,
  /** Path and query of a URL. */
  urlBytes: 8_192,
  headerCount: 100,
  agentsPerOrganisation: 1_000,
  agentNameChars: 200,
  agentDescriptionChars: 2_000,
  instructionsChars: 500_000,
  /** A JSON Schema of a customer, as compact JSON. */
  schemaBytes: 32_768,
  schemaDepth: 64,
  schemaSubschemas: 500,
  /** Ways from the root of a schema to its sub-schemas. A definition that is referenced twice counts twice. */
  schemaPaths: 10_000,
  schemaPatternChars: 512,
  /** Failed tries that a step shows. */
  stepAttempts: 10,
  attemptMessageChars: 300,
  /** Connectors of one agent. */
  toolsPerAgent: 16,
  fallbackModelsPerAgent: 3,
  policiesPerAgent: 20,
  versionsPerAgent: 10_000,
  versionMax: 999_999_999,
  /** Default time for which the old signing secret of a remote agent signs beside the new one. */
  signingSecretOverlapHours: 24,
  signingSecretOverlapMaxHours: 168,
  rollbackRulesMax: 5,
  rollbackMinRunsMax: 2_000,
  comparisonIntervals: 60,
  webhooksPerOrganisation: 100,
  webhookEvents: 50,
  webhookUrlChars: 2_048,
  webhookSecretMinChars: 24,
  webhookSecretMaxChars: 256,
  /** Default time for which the old secret signs beside the new one. */
  webhookSecretOverlapHours: 24,
  webhookSecretOverlapMaxHours: 168,
  deliveryAttempts: 3,
  /** Time for the complete response of an endpoint. After it, the attempt has failed. */
  deliveryTimeoutSeconds: 10,
  /** Stored part of an endpoint's response. */
  deliveryAnswerBytes: 16_384,
  /** Concurrent requests to one endpoint. */
  deliveriesUnderWayPerWebhook: 10,
  /** Waiting deliveries of one endpoint. Further ones are recorded as failed and can be recovered. */
  deliveriesWaitingPerWebhook: 100_000,
  /** Days of continuous failure after which an endpoint is disabled. */
  webhookFailingDays: 5,
  /** Concurrent recoveries of one endpoint. */
  recoveriesPerWebhook: 1,
  alertRulesPerOrganisation: 100,
  alertRuleNameChars: 200,
  alertThresholdMax: 1_000_000_000_000,
  /** Figures are counted by minute. */
  alertWindowMinSeconds: 120,
  alertWindowDefaultSeconds: 300,
  alertWindowMaxSeconds: 3_600,
  alertForMaxSeconds: 86_400,
  alertSampleSizeDefault: 10,
  alertSampleSizeMax: 1_000_000,
  /** Policies of an organisation that are not archived. */
  policiesPerOrganisation: 200,
  policyNameChars: 200,
  policyDescriptionChars: 2_000,
  rulesPerPolicy: 50,
  /** The rules of one policy, as JSON. */
  policyRulesBytes: 262_144,
  policyAttachmentsPerOrganisation: 500,
  /** Policies of an organisation that are attached to something. */
  policiesInForce: 100,
  rulesInForce: 500,
  rulesInForceBytes: 1_048_576,
  policyShadowDays: 14,
  /** Trials of an organisation that have not ended. */
  trialsUnderWay: 10,
  /** Ended trials of an organisation. Beyond it, the oldest are deleted. */
  trialsKept: 1_000,
  trialMaxDays: 31,
  trialRunsDefault: 10_000,
  trialRunsMax: 100_000,
  trialCostMaxUsd: 1_000,
  pageSizeDefault: 20,
  pageSizeMax: 100,
  /** Ids in one filter. */
  filterIds: 100,
  /** A page of a list ends early, after at least one item, when its items exceed this. */
  pageBytes: 2_097_152,
} as const
