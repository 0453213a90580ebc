export { createGuardrails, type GuardedStream, type Guardrails, type Rule, type Verdict } from './guardrail.service.ts'
