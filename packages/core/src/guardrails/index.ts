export {
  createGuardrails,
  type GuardedStream,
  type Guardrails,
  type Rule,
  type Stage,
  type Verdict,
} from './guardrail.service.ts'
