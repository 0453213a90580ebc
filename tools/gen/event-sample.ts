import type { EventType } from '@ars/contract'

/** A whole event with sample data and a fictitious id. */
export const sampleEnvelope = (type: EventType, data: Readonly<Record<string, unknown>>) => ({
  id: 'evt_00000000000000000000000000',
  type,
  created_at: '2026-01-15T09:30:02.150Z',
  data,
})
