import type { AlertRule } from '@agent-run-service/sdk'
import { type ReactNode, useState } from 'react'
import { useAlertRuleChanges } from '../../api/alerts.ts'
import { useReason } from '../../session.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import type { MenuItem } from '../../ui/menu.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'

/** What can be done with a rule: enable, disable, test, delete. */
export const useRuleActions = (
  onDeleted?: () => void,
): { itemsOf(rule: AlertRule): readonly MenuItem[]; dialog: ReactNode } => {
  const reason = useReason('alerts:write')
  const { update, remove, test } = useAlertRuleChanges()
  const [deleted, setDeleted] = useState<AlertRule | null>(null)
  const attempt = async (name: string, done: string, act: () => Promise<unknown>) => {
    try {
      await act()
      toast(done)
    } catch (error) {
      toastProblem(`${name}: failed`, error)
    }
  }
  const itemsOf = (rule: AlertRule): readonly MenuItem[] => [
    rule.enabled
      ? {
          label: 'Disable',
          reason,
          onSelect: () =>
            void attempt('Disable rule', 'The rule is disabled.', () => update(rule.id, { enabled: false })),
        }
      : {
          label: 'Enable',
          reason,
          onSelect: () => void attempt('Enable rule', 'The rule is enabled.', () => update(rule.id, { enabled: true })),
        },
    {
      label: 'Send test alert',
      reason,
      onSelect: () =>
        void attempt(
          'Send test alert',
          'A test alert was sent to the webhooks that subscribe to alert.triggered.',
          () => test(rule.id),
        ),
    },
    { label: 'Delete', reason, isDanger: true, onSelect: () => setDeleted(rule) },
  ]
  const dialog = (
    <ConfirmDialog
      isOpen={deleted !== null}
      onClose={() => setDeleted(null)}
      title="Delete the rule"
      description={`${deleted?.name ?? ''} is no longer evaluated, and its alert is resolved. Alerts of the past are kept. To stop it for a while, disable it.`}
      verb="Delete rule"
      onConfirm={async () => {
        if (!deleted) return
        await remove(deleted.id)
        toast('The rule is deleted.')
        onDeleted?.()
      }}
    />
  )
  return { itemsOf, dialog }
}
