import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import type { NewRun } from '../src/runs/accept/accept.store.ts'

const newId = createIdMaker(systemClock)

/** A run as a caller asks for it: without input, metadata or key, in the first version of its agent. */
export const askedRun = (agentId: string, change: Partial<NewRun> = {}): NewRun => ({
  id: toUuid(newId('run')),
  agentId,
  input: {},
  metadata: {},
  timeoutSeconds: null,
  bucket: 0,
  checkedVersion: 1,
  author: { type: 'key', id: '01890a5d-ac96-774b-bcce-b302099a8057', owner: null },
  idempotency: undefined,
  policySetId: null,
  ...change,
})
