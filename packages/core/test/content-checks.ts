import { checkHere, createContentChecker } from '../src/guardrails/guard/content-checker.service.ts'
import type { JudgeDeps } from '../src/guardrails/guard/judge.service.ts'
import { createValidator } from '../src/schemas/index.ts'

const validator = createValidator()
const checker = createContentChecker({
  maxBytes: 16 * 1_048_576,
  hasFaults: (schema, value) => validator.faultsOf(schema, value).length > 0,
})

/** What a process does in threads, done here: the compiled code is the same. */
export const checksWithoutThreads: JudgeDeps['checkContent'] = async (_, checks, checked) =>
  checkHere(checker, checks, checked)
