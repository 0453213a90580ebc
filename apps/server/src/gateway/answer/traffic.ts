import type { Config } from '@ars/core/config'
import type { Clock } from '@ars/platform/clock'
import type { Metrics } from '../../metrics.ts'
import { createByteBounds } from '../listen/byte-bounds.ts'
import { createTransferRates, type TransferRates } from '../listen/transfer-rate.ts'
import { createIncoming, type Incoming } from './incoming.ts'
import { createOutgoing, type Outgoing } from './outgoing.ts'

type Settings = Pick<Config, 'requestBytesMax' | 'responseBytesMax' | 'transferGraceMs' | 'transferBytesPerSecond'>

/** The bounds of everything that is received and sent, except streams: bytes in memory and minimum rates. */
export const createTraffic = (
  settings: Settings,
  { metrics, clock }: { metrics: Metrics; clock: Clock },
): { incoming: Incoming; outgoing: Outgoing; rates: TransferRates; close(): void } => {
  const rates = createTransferRates({
    graceMs: settings.transferGraceMs,
    bytesPerSecond: settings.transferBytesPerSecond,
    checkEveryMs: Math.min(1_000, Math.ceil(settings.transferGraceMs / 4)),
    clock,
  })
  const requests = createByteBounds({
    what: 'request bodies in flight',
    maxBytes: settings.requestBytesMax,
    onRefused: (reason) => metrics.bytesRefused('requests', reason),
  })
  const largeRequests = createByteBounds({
    what: 'large request bodies in flight',
    maxBytes: Math.ceil(settings.requestBytesMax / 2),
    // Each takes the event loop for as long as many small ones do.
    isOneAtATime: true,
    onRefused: (reason) => metrics.bytesRefused('requests', reason),
  })
  const responses = createByteBounds({
    what: 'responses that were not read yet',
    maxBytes: settings.responseBytesMax,
    onRefused: (reason) => metrics.bytesRefused('responses', reason),
  })
  metrics.observeBytes(() => ({
    requests: requests.heldBytes() + largeRequests.heldBytes(),
    responses: responses.heldBytes(),
  }))
  return {
    incoming: createIncoming({
      bounds: requests,
      largeBounds: largeRequests,
      rates,
      onSlow: () => metrics.transferTooSlow('requests'),
    }),
    outgoing: createOutgoing({ bounds: responses, rates, onSlow: () => metrics.transferTooSlow('responses') }),
    rates,
    close: rates.close,
  }
}
