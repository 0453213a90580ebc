/**
 * How much of something there may be, and what happens at the bound. Code takes its numbers from rows like these, and
 * docs/explanation/bounds.md lists them. The row of a product names its two factors.
 */
export type Bound = {
  readonly count?: number
  readonly bytes?: number
  readonly mib?: number
  readonly chars?: number
  readonly ms?: number
  readonly seconds?: number
  readonly hours?: number
  readonly days?: number
  readonly factors?: readonly [string, string]
  readonly atBound: string
}

export type Bounds = Readonly<Record<string, Bound>>

export const platformBounds = {
  groupWaiting: { count: 2_000, atBound: 'refused with 503 `unavailable` and `Retry-After`' },
  allGroupsWaiting: { count: 20_000, atBound: 'refused with 503 `unavailable` and `Retry-After`' },
  flush: { bytes: 4 * 1024 * 1024, atBound: 'the rest waits for the next flush; a larger item is flushed alone' },
  sharedItem: { bytes: 128 * 1024, atBound: 'the item is flushed with its group only' },
  sharedFlushes: { count: 2, atBound: 'further items wait in memory until a flush ends' },
  groupsFlushedApart: { count: 10_000, atBound: 'the group that was noted first is forgotten, and detected again' },
  lockedFlush: { count: 5, atBound: 'refused with 503 `unavailable`, whose reason is `blocked`' },
  migrationLockWait: { ms: 150, atBound: 'the statement of the migration gives up and is tried again' },
  databaseConnect: { ms: 10_000, atBound: 'the connection is not opened, and its caller gets 503 `unavailable`' },
  databaseConnectionIdle: { ms: 30_000, atBound: 'the connection is closed' },
  databaseQuery: { ms: 6000, atBound: 'the statement is aborted, and its caller gets 503 `unavailable`' },
  transactionsBehind: {
    count: 100,
    ms: 2_000,
    atBound: 'refused with 503 `unavailable` and `Retry-After`',
  },
  databaseProbe: { ms: 2_000, atBound: 'the database counts as unavailable until the next probe' },
  migrationLock: { ms: 300_000, atBound: 'the migration stops and has changed nothing' },
  poolerCheck: { ms: 5_000, count: 4, atBound: 'the check reports that the pooler is unusable' },
  conflictRetries: { count: 3, atBound: 'the error goes to the caller of the statement' },
  logBuffered: {
    bytes: 4 * 1024 * 1024,
    atBound: 'the line is dropped and counted in `ars_log_lines_lost_total`',
  },
  engineSend: {
    ms: 3000,
    atBound: 'the wake-up is sent to another node or tried again later; the run stays in Postgres',
  },
  engineCommand: { ms: 10_000, atBound: 'the command fails and its sweep tries again' },
  engineTokensKnown: { count: 1_000, atBound: 'the oldest is forgotten and verified again' },
  engineTokenKnown: { chars: 2_000, atBound: 'the token is verified each time' },
  engineInvocation: {
    ms: 48 * 3_600_000,
    atBound: 'the engine ends the invocation; a worker with a longer run time refuses to start',
  },
  egressLookup: { ms: 5000, count: 2, atBound: 'the call fails with `dns`' },
  egressConnect: { ms: 10_000, atBound: 'the call fails with `connect`' },
  egressCall: { ms: 30_000, atBound: 'the call fails with `timeout`' },
  egressStream: {
    ms: 3_600_000,
    bytes: 67_108_864,
    atBound: 'the stream is cut and fails with `timeout`, or with `too_large` for its bytes',
  },
  egressStreamIdle: { ms: 300_000, atBound: 'the stream is cut and fails with `timeout`' },
  egressRequest: { bytes: 33_554_432, atBound: 'the call fails with `too_large` and is not sent' },
  egressBody: {
    bytes: 1_048_576,
    atBound: 'the body is cut, or the call fails with `too_large` if its caller needs all of it',
  },
  egressHeaders: { bytes: 16_384, count: 200, atBound: 'the call fails with `too_large`' },
  egressConnectionsPerHost: {
    count: 256,
    atBound: 'the call waits for a connection; one organisation holds at most half',
  },
  egressConnections: {
    count: 1024,
    atBound: 'the longest idle connection is closed, else the call waits; one organisation holds at most half',
  },
  egressWaiting: { count: 4096, ms: 5000, atBound: 'the call is refused as `busy`' },
  egressWaitingBodies: {
    bytes: 256 * 1_048_576,
    factors: ['egressWaiting', 'egressRequest'],
    atBound: 'the call is refused as `busy`',
  },
  egressWaitingBodiesOfOrganisation: { bytes: 64 * 1_048_576, atBound: 'the call is refused as `busy`' },
  egressConnectionIdle: { ms: 4000, atBound: 'the connection is closed' },
  egressUrl: { chars: 2048, atBound: 'refused: the address is too long' },
  egressHost: { chars: 253, atBound: 'refused: the host name is too long' },
  keyProgram: { ms: 10_000, bytes: 8_192, atBound: 'the program is stopped and the key service counts as unavailable' },
  keyProgramCalls: { count: 4, atBound: 'the call waits for an earlier one' },
  keyProgramWaiting: { count: 200, atBound: 'refused: the key service counts as unavailable' },
  idTime: { ms: 2 ** 48 - 1, atBound: 'a later time counts as this time' },
  clockStepBack: { ms: 5_000, atBound: 'ids follow the clock back' },
  quotedValue: { chars: 64, atBound: 'the quoted value is cut' },
  settingFile: { bytes: 65_536, atBound: 'the process does not start' },
  mailLocalPart: { bytes: 64, atBound: 'refused: the text is no mail address' },
  mailDomain: { bytes: 255, atBound: 'refused: the text is no mail address' },
  mailName: { chars: 100, atBound: 'refused: the text is no mailbox' },
  mailHeader: { chars: 200, atBound: 'the header is cut' },
  smtpSend: { ms: 30_000, atBound: 'the mail is not sent and is tried again' },
  smtpResponse: { bytes: 65_536, atBound: 'the connection is closed and the mail is tried again' },
  overloadGrace: { ms: 300, atBound: 'callers who would wait longer are refused with 503 `unavailable`' },
  loopStall: { ms: 500, atBound: 'a longer stall counts as this one' },
  passwordsWaiting: { count: 32, atBound: 'refused with 503 `unavailable` and `Retry-After`' },
  sweepPages: { count: 50, atBound: 'the rest waits for the next round' },
  firstSweeps: { count: 3, atBound: 'further sweeps wait for their first round' },
  firstSweepRound: { ms: 5_000, atBound: 'the next sweep begins beside it' },
  threadTask: { ms: 30_000, atBound: 'the task ends as out of time and its thread is replaced' },
  threadYoungHeap: { mib: 32, atBound: 'V8 collects the heap' },
  threadHeap: { mib: 320, atBound: 'the task ends as out of memory and its thread is replaced' },
  firstThread: {
    ms: 60_000,
    atBound:
      'tasks of a process whose first thread is not ready are refused as busy after this time, later ones sooner',
  },
  threadTasksWaiting: {
    count: 1_000,
    bytes: 64 * 1_048_576,
    ms: 10_000,
    atBound: 'the task is refused as busy, and a later one can succeed',
  },
  threadTasksOfOwner: {
    count: 100,
    bytes: 24 * 1_048_576,
    atBound: 'the task is refused as busy, and a later one can succeed',
  },
  cpuBudgets: { count: 10_000, atBound: 'full budgets are forgotten, then the oldest' },
  redisConnect: { ms: 2000, atBound: 'the process goes on without Redis and keeps connecting' },
  redisMessage: { chars: 262_144, atBound: 'the message is dropped; readers find its rows in Postgres' },
  redisKeysKnown: { count: 5_000, atBound: 'the oldest is forgotten and derived again' },
  redisCommand: { ms: 50, atBound: 'the command fails and Redis is distrusted for a while' },
  redisSubscribe: { ms: 100, atBound: 'the reader looks for its rows in Postgres' },
  redisVersion: { ms: 2_000, atBound: 'the version is not known' },
  redisSilence: { count: 8, ms: 3_000, atBound: 'the connection is replaced' },
  redisPing: { ms: 400, atBound: 'the silence is counted' },
  shutdownStep: { ms: 25_000, atBound: 'the step is logged as failed and the next one begins' },
  spanText: { chars: 256, atBound: 'the text is cut' },
  spanList: { count: 16, atBound: 'the rest of the list is dropped' },
  spansQueued: {
    count: 8192,
    bytes: 33_554_432,
    atBound: 'the span is dropped and counted in `ars_trace_spans_dropped_total`',
  },
  spanBatch: { count: 512, atBound: 'the rest waits for the next request' },
  spanRequest: { ms: 30_000, atBound: 'a longer `OTEL_EXPORTER_OTLP_TIMEOUT` is cut to this' },
  traceparent: { chars: 128, atBound: 'the header is ignored' },
  tracestate: { chars: 512, atBound: 'the header is ignored' },
  unknownFieldsTold: { count: 100, atBound: 'further fields are not named' },
  similarFieldsTold: { count: 10, atBound: 'further fields get no suggestion' },
  similarFieldName: { chars: 64, atBound: 'the field gets no suggestion' },
  turnLengths: { count: 3, atBound: 'the turn is aborted: it had been asked to end after one length' },
  turn: { ms: 5_000, atBound: 'the turn is asked to end' },
  workLease: { seconds: 30, atBound: 'another process takes the item' },
  workTries: { count: 5, atBound: 'the item ends with an error that its customer sees' },
  workPause: { ms: 300_000, atBound: 'a longer pause is cut to this' },
  organisationsCompared: { count: 200, atBound: 'organisations beyond the list count as without use' },
  spanClose: { ms: 3000, atBound: 'the spans that are left are dropped' },
} satisfies Bounds
