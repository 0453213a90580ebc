import type { AdmissionService } from './admission.service.ts'

/** For tests in which nobody dispatches runs: they are admitted by statements alone. */
export const unattended: AdmissionService = {
  follow: () => undefined,
  nudge: () => undefined,
  slotFreed: () => undefined,
  admit: () => Promise.resolve(),
}
