import type { Sweep } from '@ars/platform/periodic'
import type { Sender } from './sender.service.ts'

/** Looks for due deliveries in case a pub-sub message was lost. It is not awaited: under load it does not end. */
export const senderSweep = ({ sender }: { sender: Pick<Sender, 'nudge'> }): Sweep => ({
  name: 'deliveries',
  everyMs: 250,
  run: async () => sender.nudge(),
})
