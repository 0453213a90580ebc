export type { ApiCall, WithResponse } from './api-call.ts'
export type { BatchesRetryFailedParams, BatchHelpers } from './batch-waiting.ts'
export { AgentRunService, type WebhookHelpers } from './client.ts'
export type { Clock } from './clock.ts'
export {
  AgentRunServiceError,
  ApiError,
  AuthenticationError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type Refusal,
  TimeoutError,
} from './errors.ts'
export type * from './generated/resources.ts'
export type * from './generated/types.ts'
export * from './generated/values.ts'
export { type Logger, type LogLevel, logLevels } from './log.ts'
export type { Open } from './open.ts'
export type {
  CallOptions,
  ClientOptions,
  CreateOptions,
  Fetch,
  Method,
  RequestOptions,
  StreamOptions,
  WaitOptions,
} from './options.ts'
export type { ListBody, ListCall, Page } from './page.ts'
export { createReplayGuard, type ReplayGuard } from './replay-guard.ts'
export type { RunStream } from './run-stream.ts'
export type { RunHelpers } from './run-waiting.ts'
export type { Stream, StreamState } from './stream.ts'
export {
  type HeaderSource,
  verifyWebhook,
  type WebhookDelivery,
  type WebhookRefusal,
  WebhookVerificationError,
} from './webhook.ts'
export {
  type AsyncReplayGuard,
  type NodeRequest,
  type NodeResponse,
  type WebhookHandler,
  type WebhookHandlerOptions,
  webhookHandler,
} from './webhook-handler.ts'
export { type SignedWebhook, signWebhook, type WebhookToSign } from './webhook-sign.ts'
