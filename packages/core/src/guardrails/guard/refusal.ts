import { fromUuid } from '@ars/platform/id'
import { Fault } from '../../fault.ts'
import type { Finding } from '../rule.ts'

/** A rule whose check could not be made says so: the same request may pass later. */
export const refusalOf = ({ isUnmade, policyId, check, rule, reason }: Finding): Fault =>
  isUnmade
    ? new Fault('unavailable', 'A check of a policy could not be made just now', {
        reason: 'check_unmade',
        retryAfterSeconds: 1,
      })
    : new Fault('guardrail_blocked', `A policy forbids this: ${reason}`, {
        details: [
          { param: 'policy', message: fromUuid('pol', policyId) },
          { param: 'check', message: check },
          { param: 'rule', message: rule },
          { param: 'reason', message: reason },
        ],
      })
