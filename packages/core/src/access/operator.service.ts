import { operatorName } from '@ars/platform/operator-name'
import type { AuditAuthor } from './author.ts'

/** The operator, at the console of the service. */
export const operator: AuditAuthor = {
  actor: { type: 'operator', id: operatorName() },
  address: null,
  requestId: null,
}
