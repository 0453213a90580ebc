import type { RequiredAction, SendAction } from '@agent-run-service/sdk'
import type { Refusal } from '../../api/problem.ts'

/** What the controls of every kind of question need. */
export type ControlProps = {
  action: RequiredAction
  /** Why the person may not decide. */
  reason: string | undefined
  isBusy: boolean
  /** What the service refused at the last try. */
  refusals: readonly Refusal[]
  send(sent: Pick<SendAction, 'type' | 'payload'>): void
}
