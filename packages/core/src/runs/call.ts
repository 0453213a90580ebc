/**
 * A call is an accepted run. The calls of a month are counted in so many slots, so that the callers of one organisation
 * do not stand in line for one row. Each slot has its share of the month's quota: the shares add up to the quota, so
 * slots that keep to theirs keep to it together.
 */
export const callSlots = 32

/** A slot's share of `calls_per_month`, as an expression of SQL; the first slots have what is left over. */
export const shareOf = (slot: string): string =>
  `calls_per_month / ${callSlots} + case when ${slot} < calls_per_month % ${callSlots} then 1 else 0 end`

/** How many more calls a slot takes. */
export type CallRoom = { readonly slot: number; readonly room: number }

/** The last letters of an id are random: callers spread over the slots. */
export const slotOf = (runId: string): number => Number.parseInt(runId.slice(-2), 16) % callSlots

/** The nearest slot with room, beginning with one's own. Null: all are full. */
export const nearestRoom = (rooms: readonly CallRoom[], own: number): CallRoom | null => {
  const distance = ({ slot }: CallRoom): number => (slot - own + callSlots) % callSlots
  return rooms.filter(({ room }) => room > 0).toSorted((one, other) => distance(one) - distance(other))[0] ?? null
}
