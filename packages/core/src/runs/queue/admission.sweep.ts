import type { Database } from '@ars/platform/db/database'
import type { Sweep } from '@ars/platform/periodic'
import type { AdmissionService } from './admission.service.ts'
import { settleCell } from './admission.store.ts'

/** Admits waiting runs whose own look failed. */
export const admissionSweep = (deps: { admission: AdmissionService }): Sweep => ({
  name: 'admission',
  everyMs: 250,
  run: () => deps.admission.admit(),
})

/** Moves the marks from which admission counts. */
export const cellSweep = (deps: { system: Database }): Sweep => ({
  name: 'cell',
  everyMs: 5_000,
  run: () => settleCell(deps.system),
})
