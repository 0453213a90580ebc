import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import type { AdmissionService } from './admission.service.ts'
import { ensureCellSlots, freeLostSlots } from './slot.store.ts'

/** Admits waiting runs whose notification was lost. */
export const admissionSweep = (deps: { admission: AdmissionService }): Sweep => ({
  name: 'admission',
  everyMs: 250,
  run: () => deps.admission.admit(),
})

/** Creates the configured slots of the cell, and frees slots whose run no longer exists. */
export const slotSweep = (deps: { system: Database; cellSlots: number; log: Log }): Sweep => ({
  name: 'slots',
  everyMs: 30_000,
  run: async () => {
    await ensureCellSlots(deps.system, deps.cellSlots)
    const freed = await freeLostSlots(deps.system)
    if (freed > 0) deps.log.error('slots were held by runs that no longer exist', { freed })
  },
})
