import type { Rule } from './rule.ts'
import { boundRules } from './rules/bounds.ts'
import { docRules } from './rules/docs.ts'
import { migrationRules } from './rules/migrations.ts'
import { placeRules } from './rules/places.ts'
import { sqlRules } from './rules/sql.ts'
import { tenancyRules } from './rules/tenancy.ts'
import { testRules } from './rules/tests.ts'
import { threatRules } from './rules/threats.ts'
import { timeRules } from './rules/time.ts'
import { wordRules } from './rules/words.ts'

/** The house rules that no compiler, linter or import rule covers. To add one, add a row with its examples. */
export const rules: readonly Rule[] = [
  ...timeRules,
  ...sqlRules,
  ...migrationRules,
  ...tenancyRules,
  ...placeRules,
  ...docRules,
  ...threatRules,
  ...testRules,
  ...wordRules,
  ...boundRules,
]
