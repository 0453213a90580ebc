/**
 * A call is an accepted run. The calls of a month are counted in shards, so that concurrent requests of one organisation
 * do not wait for one row. Each shard has its share of the quota of the month. The shares add up to the quota.
 */
export const shardCount = 32

/** The share of a shard in `calls_per_month`, as an SQL expression. The first shards share the remainder. */
export const shareOfShard = (shard: string): string =>
  `calls_per_month / ${shardCount} + case when ${shard} < calls_per_month % ${shardCount} then 1 else 0 end`

/** How many more calls a shard takes. */
export type ShardRoom = { readonly shard: number; readonly room: number }

/** The last characters of an id are random, so requests spread over the shards. */
export const shardOf = (runId: string): number => Number.parseInt(runId.slice(-2), 16) % shardCount

/** The nearest shard with room, starting with `own`. Null: every shard is exhausted. */
export const nearestRoom = (rooms: readonly ShardRoom[], own: number): ShardRoom | null => {
  const distance = ({ shard }: ShardRoom): number => (shard - own + shardCount) % shardCount
  return rooms.filter(({ room }) => room > 0).toSorted((one, other) => distance(one) - distance(other))[0] ?? null
}
