import type { Sweep } from '@ars/platform/periodic'
import type { Sender } from './sender.service.ts'

/** Looks for what has come due, should no wake-up tell. It is not waited for: while there is enough to do, it does not end. */
export const senderSweep = ({ sender }: { sender: Pick<Sender, 'nudge'> }): Sweep => ({
  name: 'deliveries',
  everyMs: 250,
  run: async () => sender.nudge(),
})
