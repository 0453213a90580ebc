import type { NamedFault } from './fault.ts'

/** Faults of the run path, of access and of deliveries that a draw planted and that no test found then. */
export const faultsOfRunPath: readonly NamedFault[] = [
  [
    'N1 the policies of another run decide',
    'runs/run/redaction.store.ts',
    'from runs where org_id = :org and id = :runId`',
    'from runs where org_id = :org and ((id = :runId) or true)`',
    'runs/run/other-runs.test.ts',
  ],
  [
    'N2 a run remembers the tool calls of others',
    'runs/run/history.store.ts',
    'where org_id = :org and run_id = :runId\n      and step >',
    'where org_id = :org and ((run_id = :runId) or true)\n      and step >',
    'runs/run/other-runs.test.ts',
  ],
  [
    'N3 a person acts with the role of another member',
    'access/creator.store.ts',
    'where m.org_id = :org and m.user_id = :userId',
    'where m.org_id = :org and ((m.user_id = :userId) or true)',
    'access/creator.service.test.ts',
  ],
  [
    'N4 an endpoint has missed events since the failure of another one',
    'webhooks/deliver/disable.store.ts',
    'l.org_id = w.org_id and l.webhook_id = w.id',
    'l.org_id = w.org_id and ((l.webhook_id = w.id) or true)',
    'webhooks/deliver/endpoint-queue.store.test.ts',
  ],
  [
    'N5 a locked run keeps old runs from their end',
    'runs/control/deadline.store.ts',
    'order by run_id limit :limit for update skip locked)',
    'order by run_id limit :limit)',
    'runs/control/deadline.sweep.test.ts',
  ],
  [
    'N6 an idempotency key counts after its time',
    'runs/accept/monthly-quota.store.ts',
    'and i.expires_at > app_now() limit 1',
    'limit 1',
    'runs/accept/monthly-quota.store.test.ts',
  ],
]
