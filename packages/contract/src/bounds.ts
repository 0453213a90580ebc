type Row = {
  readonly count?: number
  readonly bytes?: number
  readonly chars?: number
  readonly ms?: number
  readonly seconds?: number
  readonly minutes?: number
  readonly hours?: number
  readonly days?: number
  readonly usd?: number
  /** What happens at the bound. */
  readonly atBound: string
}

type Rows = Readonly<Record<string, Row>>

/** The one number of each row. */
export const numbersOf = <const Given extends Rows>(rows: Given): { readonly [Name in keyof Given]: number } =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, Object.values(row).find((size) => typeof size === 'number')]),
  ) as { readonly [Name in keyof Given]: number }

/** What every client can reach. The name ends in the unit. `limits` has the numbers. */
export const limitRows = {
  bodyBytes: { bytes: 1_048_576, atBound: 'refused with 413 `body_too_large`' },
  /** Nested objects and lists, including the body. */
  bodyDepth: { count: 32, atBound: 'refused with 400 `invalid_request`' },
  /** Keys of one object in a body. */
  bodyKeys: { count: 1_000, atBound: 'refused with 400 `invalid_request`' },
  headerBytes: { bytes: 16_384, atBound: 'refused with 431 `headers_too_large`' },
  idempotencyKeyChars: { chars: 255, atBound: 'refused with 400 `invalid_request`' },
  idempotencyKeyHours: { hours: 24, atBound: 'the key is forgotten, and a request with it is a new one' },
  metadataKeys: { count: 16, atBound: 'refused with 400 `invalid_request`' },
  metadataKeyChars: { chars: 64, atBound: 'refused with 400 `invalid_request`' },
  metadataValueChars: { chars: 512, atBound: 'refused with 400 `invalid_request`' },
  waitMaxSeconds: { seconds: 300, atBound: 'a longer wait is cut to this' },
  runTimeoutMaxSeconds: { seconds: 86_400, atBound: 'refused with 400 `invalid_request`' },
  /** Maximum wait for a person. The timeout of the run does not advance during it. */
  actionTimeoutMaxSeconds: { seconds: 604_800, atBound: 'the run fails with `action_timeout`' },
  /** Decisions and messages that one run accepts. */
  actionsPerRun: { count: 2_000, atBound: 'refused with 422 `too_many_actions`' },
  commentChars: { chars: 2_000, atBound: 'refused with 400 `invalid_request`' },
  messageChars: { chars: 100_000, atBound: 'refused with 422 `payload_invalid`' },
  outputBytes: { bytes: 10_485_760, atBound: 'the run fails with `output_too_large`' },
  /** Input and steps of one run. */
  runStoredBytes: { bytes: 67_108_864, atBound: 'the run begins no further step and fails with `storage_exceeded`' },
  /** Results of the tool calls of one step. */
  stepResultBytes: { bytes: 10_485_760, atBound: 'the model gets an error in place of the result' },
  /** Tool calls in one answer of a model. */
  toolCallsPerStep: { count: 128, atBound: 'the model call fails with `model_error`' },
  /** Model calls and groups of tool calls of one run. An agent can set another value. */
  stepsMax: { count: 1_000, atBound: 'refused with 400 `invalid_request`' },
  /** Queued runs of an organisation, as a multiple of its concurrent runs. */
  queuedPerSlot: { count: 10, atBound: 'refused with 429 `concurrency_exceeded`' },
  /** Common proxies close idle connections. */
  streamHeartbeatSeconds: { seconds: 15, atBound: 'a comment is sent on the idle stream' },
  /** Buffer for a slow reader. */
  streamBufferBytes: { bytes: 262_144, atBound: 'the stream is closed and the reader resumes by id' },
  /** Open streams of one key at one gateway. */
  streamsPerKey: { count: 1_000, atBound: 'refused with 429 `rate_limited`' },
  /** Active keys of an organisation. */
  keysPerOrganisation: { count: 1_000, atBound: 'refused with 422 `limit_reached`' },
  membersPerOrganisation: { count: 1_000, atBound: 'refused with 422 `limit_reached`' },
  /** Open invitations. */
  invitationsPerOrganisation: { count: 100, atBound: 'refused with 422 `limit_reached`' },
  invitationDays: { days: 7, atBound: 'the link ends' },
  passwordResetHours: { hours: 24, atBound: 'the link ends' },
  emailProofHours: { hours: 24, atBound: 'the link ends' },
  /** Mails of an organisation with links: invitations, resets, proofs. */
  linkMailsPerDay: { count: 500, atBound: 'no mail is sent: the link is passed on by hand' },
  /** Mails with links to one address, of all organisations together. */
  linkMailsPerAddressPerDay: { count: 3, atBound: 'no mail is sent: the link is passed on by hand' },
  /** After the mail of an invitation, for the same organisation and address. */
  invitationMailEveryMinutes: { minutes: 60, atBound: 'no second mail is sent to the address in this time' },
  /** Mails of an organisation about events. */
  eventMailsPerDay: { count: 2_000, atBound: 'no further mail is written' },
  alertDestinationsPerOrganisation: { count: 10, atBound: 'refused with 422 `limit_reached`' },
  keyNameChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  agentsPerKey: { count: 100, atBound: 'refused with 400 `invalid_request`' },
  /** How long a rotated key continues to work. */
  keyGraceHours: { hours: 24, atBound: 'the old key ends' },
  /** Before the end of the key. */
  keyExpiringDays: { days: 7, atBound: '`api_key.expiring` is sent' },
  sessionTokenMaxSeconds: { seconds: 86_400, atBound: 'refused with 400 `invalid_request`' },
  shareMaxSeconds: { seconds: 2_592_000, atBound: 'refused with 400 `invalid_request`' },
  /** Links to one run that have not expired. */
  sharesPerRun: { count: 20, atBound: 'refused with 422 `limit_reached`' },
  /** Links of an organisation that have not expired. */
  sharesPerOrganisation: { count: 1_000, atBound: 'refused with 422 `limit_reached`' },
  /** Requests with one link, by everyone who has it. A lower rate of the organisation applies instead. */
  shareRequestsPerMinute: { count: 300, atBound: 'refused with 429 `rate_limited`' },
  shareBurst: { count: 450, atBound: 'refused with 429 `rate_limited`' },
  /** Open streams of one link at one gateway. */
  streamsPerShare: { count: 100, atBound: 'refused with 429 `rate_limited`' },
  sessionIdleHours: { hours: 12, atBound: 'the session ends' },
  sessionMaxDays: { days: 7, atBound: 'the session ends' },
  emailChars: { chars: 254, atBound: 'refused with 400 `invalid_request`' },
  passwordMaxChars: { chars: 1_000, atBound: 'refused with 422 `password_refused`' },
  /** Passwords that are checked per account and per address within the window. */
  loginsPerAccount: {
    count: 10,
    atBound: 'refused with 429 `rate_limited` until the window ends, except in a browser that is known',
  },
  loginsPerAddress: { count: 100, atBound: 'refused with 429 `rate_limited` until the window ends' },
  loginWindowSeconds: { seconds: 900, atBound: 'the attempts are forgotten' },
  /** Path and query of a URL. */
  urlBytes: { bytes: 8_192, atBound: 'refused with 414 `uri_too_long`' },
  headerCount: { count: 100, atBound: 'refused with 431 `headers_too_large`' },
  agentsPerOrganisation: { count: 1_000, atBound: 'refused with 422 `limit_reached`' },
  agentNameChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  agentDescriptionChars: { chars: 2_000, atBound: 'refused with 400 `invalid_request`' },
  instructionsChars: { chars: 500_000, atBound: 'refused with 400 `invalid_request`' },
  providerKeyChars: { chars: 500, atBound: 'refused with 400 `invalid_request`' },
  inputTemplateChars: { chars: 50_000, atBound: 'refused with 400 `invalid_request`' },
  /** A JSON Schema of a customer, as compact JSON. */
  schemaBytes: { bytes: 32_768, atBound: 'refused with 422 and the problem of the schema' },
  schemaDepth: { count: 64, atBound: 'refused with 422 and the problem of the schema' },
  schemaSubschemas: { count: 500, atBound: 'refused with 422 and the problem of the schema' },
  /** Ways from the root of a schema to its sub-schemas. A definition that is referenced twice counts twice. */
  schemaPaths: { count: 10_000, atBound: 'refused with 422 and the problem of the schema' },
  schemaPatternChars: { chars: 512, atBound: 'refused with 422 and the problem of the schema' },
  /** Failed tries that a step shows. */
  stepAttempts: { count: 10, atBound: 'the oldest is dropped' },
  attemptMessageChars: { chars: 300, atBound: 'the text is cut' },
  /** Connectors of one agent. */
  toolsPerAgent: { count: 16, atBound: 'refused with 400 `invalid_request`' },
  fallbackModelsPerAgent: { count: 3, atBound: 'refused with 400 `invalid_request`' },
  policiesPerAgent: { count: 20, atBound: 'refused with 400 `invalid_request`' },
  versionsPerAgent: { count: 10_000, atBound: 'refused with 422 `limit_reached`' },
  versionMax: { count: 999_999_999, atBound: 'refused with 400 `invalid_request`' },
  signingSecretOverlapMaxHours: { hours: 168, atBound: 'refused with 400 `invalid_request`' },
  rollbackRulesMax: { count: 5, atBound: 'refused with 400 `invalid_request`' },
  rollbackMinRunsMax: { count: 2_000, atBound: 'refused with 400 `invalid_request`' },
  comparisonIntervals: { count: 60, atBound: 'the intervals are longer' },
  webhooksPerOrganisation: { count: 100, atBound: 'refused with 422 `limit_reached`' },
  webhookEvents: { count: 50, atBound: 'refused with 400 `invalid_request`' },
  webhookUrlChars: { chars: 2_048, atBound: 'refused with 400 `invalid_request`' },
  webhookSecretMaxChars: { chars: 256, atBound: 'refused with 422 `secret_invalid`' },
  webhookSecretOverlapMaxHours: { hours: 168, atBound: 'refused with 400 `invalid_request`' },
  deliveryAttempts: { count: 3, atBound: 'the delivery fails and can be recovered' },
  /** Time for the complete response of an endpoint. */
  deliveryTimeoutSeconds: { seconds: 10, atBound: 'the attempt fails with `timeout`' },
  /** Stored part of the response of an endpoint. */
  deliveryAnswerBytes: { bytes: 16_384, atBound: 'the rest is neither read nor stored' },
  /** Concurrent requests to one endpoint. */
  deliveriesUnderWayPerWebhook: { count: 10, atBound: 'further deliveries wait for an earlier one' },
  /** Waiting deliveries of one endpoint. */
  deliveriesWaitingPerWebhook: { count: 100_000, atBound: 'the delivery is recorded as failed and can be recovered' },
  /** Days of continuous failure. */
  webhookFailingDays: { days: 5, atBound: 'the endpoint is disabled' },
  alertRulesPerOrganisation: { count: 100, atBound: 'refused with 422 `limit_reached`' },
  alertRuleNameChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  alertThresholdMax: { count: 1_000_000_000_000, atBound: 'refused with 400 `invalid_request`' },
  alertWindowMaxSeconds: { seconds: 3_600, atBound: 'refused with 400 `invalid_request`' },
  alertForMaxSeconds: { seconds: 86_400, atBound: 'refused with 400 `invalid_request`' },
  alertSampleSizeMax: { count: 1_000_000, atBound: 'refused with 400 `invalid_request`' },
  /** Policies of an organisation that are not archived. */
  policiesPerOrganisation: { count: 200, atBound: 'refused with 422 `limit_reached`' },
  policyNameChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  policyDescriptionChars: { chars: 2_000, atBound: 'refused with 400 `invalid_request`' },
  rulesPerPolicy: { count: 50, atBound: 'refused with 400 `invalid_request`' },
  /** The rules of one policy, as JSON. */
  policyRulesBytes: { bytes: 262_144, atBound: 'refused with 422 `policy_invalid`' },
  policyAttachmentsPerOrganisation: { count: 500, atBound: 'refused with 422 `limit_reached`' },
  /** Policies of an organisation that are attached to something. */
  policiesInForce: { count: 100, atBound: 'refused with 422 `limit_reached`' },
  rulesInForce: { count: 500, atBound: 'refused with 422 `limit_reached`' },
  rulesInForceBytes: { bytes: 1_048_576, atBound: 'refused with 422 `limit_reached`' },
  policyShadowDays: { days: 14, atBound: 'the policy judges nothing until its mode is set' },
  /** Trials of an organisation that have not ended. */
  trialsUnderWay: { count: 10, atBound: 'refused with 422 `limit_reached`' },
  /** Ended trials of an organisation. */
  trialsKept: { count: 1_000, atBound: 'the oldest are deleted' },
  trialMaxDays: { days: 31, atBound: 'refused with 422 `input_invalid`' },
  trialRunsMax: { count: 100_000, atBound: 'refused with 400 `invalid_request`' },
  trialCostMaxUsd: { usd: 1_000, atBound: 'refused with 400 `invalid_request`' },
  pageSizeMax: { count: 100, atBound: 'refused with 400 `invalid_request`' },
  /** Ids in one filter. */
  filterIds: { count: 100, atBound: 'refused with 400 `invalid_request`' },
  pageBytes: { bytes: 2_097_152, atBound: 'the page ends early, after at least one item' },
} as const satisfies Rows

/** Accounts and sessions. */
export const peopleLimitRows = {
  nameChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  organisationsPerUser: { count: 100, atBound: 'refused with 422 `limit_reached`' },
  /** Concurrent sessions of one person. */
  sessionsPerUser: { count: 100, atBound: 'the oldest session ends' },
  linkTokenChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
} as const satisfies Rows

/** Batches. */
export const batchLimitRows = {
  batchItems: { count: 10_000, atBound: 'refused with 400 `invalid_request`' },
  /** The body of the request that creates a batch. */
  batchBytes: { bytes: 33_554_432, atBound: 'refused with 413 `body_too_large`' },
  /** Batches of an organisation that have not ended. */
  activeBatchesPerOrganisation: { count: 20, atBound: 'refused with 422 `limit_reached`' },
  /** Items are kept for at least 10 days. */
  batchMaxDays: { days: 7, atBound: 'items that were not started are refused' },
} as const satisfies Rows

/** Connectors. The guide on tools lists the limits for the responses of their servers. */
export const connectorLimitRows = {
  perOrganisation: { count: 100, atBound: 'refused with 422 `limit_reached`' },
  nameChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  urlChars: { chars: 2048, atBound: 'refused with 400 `invalid_request`' },
  credentialChars: { chars: 4096, atBound: 'refused with 400 `invalid_request`' },
  headerChars: { chars: 64, atBound: 'refused with 400 `invalid_request`' },
  toolNameChars: { chars: 128, atBound: 'refused with 400 `invalid_request`' },
} as const satisfies Rows

/** Pipeline runs. */
export const pipelineRunLimitRows = {
  timeoutMaxSeconds: { seconds: 604_800, atBound: 'refused with 400 `invalid_request`' },
  /** Pipeline runs of an organisation that have not ended. */
  activePerOrganisation: { count: 1_000, atBound: 'refused with 422 `limit_reached`' },
  /** Runs and actions that a diagnosis names. */
  diagnosisRuns: { count: 10, atBound: 'further runs are not named' },
} as const satisfies Rows

/** Pipelines. */
export const pipelineLimitRows = {
  /** Pipelines of an organisation that are not archived. */
  pipelinesPerOrganisation: { count: 1_000, atBound: 'refused with 422 `limit_reached`' },
  versionsPerPipeline: { count: 10_000, atBound: 'refused with 422 `limit_reached`' },
  pipelineNameChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  pipelineDescriptionChars: { chars: 2_000, atBound: 'refused with 400 `invalid_request`' },
  /** A definition, as compact JSON. */
  definitionBytes: { bytes: 262_144, atBound: 'refused with 422 `config_invalid`' },
  steps: { count: 200, atBound: 'refused with 400 `invalid_request`' },
  keyChars: { chars: 64, atBound: 'refused with 400 `invalid_request`' },
  expressionChars: { chars: 2_000, atBound: 'refused with 400 `invalid_request`' },
  maxParallel: { count: 100, atBound: 'refused with 400 `invalid_request`' },
  retryAttempts: { count: 10, atBound: 'refused with 400 `invalid_request`' },
  retryCodes: { count: 20, atBound: 'refused with 400 `invalid_request`' },
  retryCodeChars: { chars: 64, atBound: 'refused with 400 `invalid_request`' },
  stepTimeoutSeconds: { seconds: 86_400, atBound: 'refused with 422 `config_invalid`' },
  approvalTimeoutSeconds: { seconds: 604_800, atBound: 'refused with 400 `invalid_request`' },
  approvalMessageChars: { chars: 2_000, atBound: 'refused with 400 `invalid_request`' },
} as const satisfies Rows

/** Rules of policies. */
export const ruleLimitRows = {
  patternChars: { chars: 1_000, atBound: 'refused with 400 `invalid_request`' },
  matchChars: { chars: 512, atBound: 'refused with 400 `invalid_request`' },
  words: { count: 1_000, atBound: 'refused with 400 `invalid_request`' },
  wordChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  hosts: { count: 1_000, atBound: 'refused with 400 `invalid_request`' },
  hostChars: { chars: 255, atBound: 'refused with 400 `invalid_request`' },
  maxLengthChars: { chars: 1_048_576, atBound: 'refused with 400 `invalid_request`' },
  expressionChars: { chars: 2_000, atBound: 'refused with 400 `invalid_request`' },
  messageChars: { chars: 500, atBound: 'refused with 400 `invalid_request`' },
  instructionsChars: { chars: 4_000, atBound: 'refused with 400 `invalid_request`' },
  entities: { count: 100, atBound: 'refused with 400 `invalid_request`' },
  urlChars: { chars: 2_048, atBound: 'refused with 400 `invalid_request`' },
  credentialChars: { chars: 4_096, atBound: 'refused with 400 `invalid_request`' },
  timeLimitMaxMs: { ms: 10_000, atBound: 'refused with 400 `invalid_request`' },
} as const satisfies Rows

/** Schedules. */
export const scheduleLimitRows = {
  perOrganisation: { count: 1_000, atBound: 'refused with 422 `limit_reached`' },
  nameChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  cronChars: { chars: 100, atBound: 'refused with 400 `invalid_request`' },
  zoneChars: { chars: 64, atBound: 'refused with 400 `invalid_request`' },
  /** 366 days. */
  maxIntervalSeconds: { seconds: 31_622_400, atBound: 'refused with 400 `invalid_request`' },
  /** Of one schedule. */
  keptFirings: { count: 1_000, atBound: 'the oldest is deleted, unless its run has not ended' },
  firingDays: { days: 90, atBound: 'the firing is deleted, unless its run has not ended' },
  maxBudgetUsd: { usd: 1_000_000_000, atBound: 'refused with 400 `invalid_request`' },
} as const satisfies Rows

/** Fields that no client needs to know the size of before it sends them. */
const fieldLimitRows = {
  modelNameChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  toolNameChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  toolsNamed: { count: 1_000, atBound: 'refused with 400 `invalid_request`' },
  outputTokens: { count: 1_000_000, atBound: 'refused with 400 `invalid_request`' },
  agentBudgetUsd: { usd: 1_000_000, atBound: 'refused with 400 `invalid_request`' },
  agentConcurrentRuns: { count: 1_000_000, atBound: 'refused with 400 `invalid_request`' },
  monthlyBudgetUsd: { usd: 1_000_000_000, atBound: 'refused with 400 `invalid_request`' },
  keyOfThingChars: { chars: 100, atBound: 'refused with 400 `invalid_request`' },
  searchChars: { chars: 200, atBound: 'refused with 400 `invalid_request`' },
  scopesListed: { count: 100, atBound: 'refused with 400 `invalid_request`' },
  scopeChars: { chars: 64, atBound: 'refused with 400 `invalid_request`' },
  actionChars: { chars: 100, atBound: 'refused with 400 `invalid_request`' },
  /** Letters typed in parts (Unicode NFD) are as many characters as their parts until they are put together. */
  passwordParts: { count: 4, atBound: 'refused with 400 `invalid_request`' },
  rollbackWindowSeconds: { seconds: 86_400, atBound: 'refused with 400 `invalid_request`' },
  canaryPercent: { count: 99, atBound: 'refused with 400 `invalid_request`' },
  countriesOfRule: { count: 50, atBound: 'refused with 400 `invalid_request`' },
  entityChars: { chars: 100, atBound: 'refused with 400 `invalid_request`' },
  zoneChars: { chars: 64, atBound: 'refused with 400 `invalid_request`' },
  eventTypeChars: { chars: 64, atBound: 'refused with 400 `invalid_request`' },
  webhookDescriptionChars: { chars: 500, atBound: 'refused with 400 `invalid_request`' },
  /** A secret of a wrong length is well-formed up to here and refused with 422. */
  webhookSecretSentChars: { chars: 10_240, atBound: 'refused with 400 `invalid_request`' },
} as const satisfies Rows

/** The sizes of these fields. */
export const fieldLimits = numbersOf(fieldLimitRows)
