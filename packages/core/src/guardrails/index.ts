export {
  createGuardrails,
  type GuardedStream,
  type Guardrails,
  type GuardVerdict,
  type Rule,
} from './guardrail.service.ts'
