export { AgentRunService } from './client.ts'
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
  TimeoutError,
} from './errors.ts'
export type * from './generated/resources.ts'
export type * from './generated/types.ts'
export type { CallOptions, ClientOptions, CreateOptions, Fetch, StreamOptions, WaitOptions } from './options.ts'
export type { ListCall, Page } from './page.ts'
export { createReplayGuard, type ReplayGuard } from './replay-guard.ts'
export type { Stream } from './stream.ts'
export {
  type HeaderSource,
  verifyWebhook,
  type WebhookDelivery,
  type WebhookRefusal,
  WebhookVerificationError,
} from './webhook.ts'
