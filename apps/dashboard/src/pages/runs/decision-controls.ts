import type { RequiredAction, SendAction } from '@agent-run-service/sdk'

/** What the controls of every kind of question need. */
export type ControlProps = {
  action: RequiredAction
  /** Why the person may not decide. */
  reason: string | undefined
  isBusy: boolean
  /** The `details` of the last refusal. */
  details: readonly unknown[]
  send(sent: Pick<SendAction, 'type' | 'payload'>): void
}
