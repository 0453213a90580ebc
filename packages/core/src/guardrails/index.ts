export { createExpressions } from './expression/expression.service.ts'
export { type Guard, type GuardedStream, type GuardVerdict, passed, type RunTokens } from './guard/guard.service.ts'
export type { Guards } from './guard/guards.service.ts'
export type { CheckSpent } from './guard/judge.service.ts'
export { findCurrentSetId } from './guard/policy-set.store.ts'
export { refusalOf } from './guard/refusal.ts'
export { createTextGuard, type TextAuthor, type TextGuard, textAuthorOf } from './guard/text-guard.service.ts'
export { createChecks, createGuardrails } from './guardrails.service.ts'
export { createAttachments } from './policy/attachment.service.ts'
export { policyApi, policyReplays, policyTemplateApi } from './policy/policy.api.ts'
export { createPolicies } from './policy/policy.service.ts'
export { policySecrets } from './policy/policy-secret.store.ts'
export { shadowSweep } from './policy/shadow.sweep.ts'
export type { RemoteCheckCall } from './remote/remote.service.ts'
export type { Finding, Stage } from './rule.ts'
export {
  arrivingText,
  enteringHeaders,
  enteringText,
  leavingConfiguration,
  leavingText,
  leavingUnjudged,
  shownSecrets,
  storedConfiguration,
  storedText,
  storedUnjudged,
} from './text-places.ts'
export type { PastContent, PastPage, PastRange, PastRun } from './trial/past-run.ts'
export { trialApi, trialReplays } from './trial/trial.api.ts'
export { createTrials } from './trial/trial.service.ts'
export { eraseTrialSamples } from './trial/trial.store.ts'
export { createTrialQueue, type PastRuns, trialBounds } from './trial/trial-queue.service.ts'
