import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import type { AdmissionService } from './admission.service.ts'
import { ensureCellSlots, freeLostSlots } from './slot.store.ts'

/** Whoever waits is found, should no wake-up tell. */
export const admissionSweep = (deps: { admission: AdmissionService }): Sweep => ({
  name: 'admission',
  everyMs: 250,
  run: () => deps.admission.admit(),
})

/** The cell has as many slots as it was given, and none is held by a run that has gone. */
export const slotSweep = (deps: { system: Database; cellSlots: number; log: Log }): Sweep => ({
  name: 'slots',
  everyMs: 30_000,
  run: async () => {
    await ensureCellSlots(deps.system, deps.cellSlots)
    const freed = await freeLostSlots(deps.system)
    if (freed > 0) deps.log.error('slots were held by runs that have gone', { freed })
  },
})
