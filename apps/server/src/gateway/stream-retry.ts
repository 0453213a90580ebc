/** A stream that breaks off is opened again after a moment, drawn between these two. */
const soonestMs = 1_000
const latestMs = 5_000
/** When all streams of a gateway end at once, so many come back in a second: each is a handshake and a look for what it missed. */
const comingPerSecond = 25
const spreadMostMs = 30_000

/** The line that tells a client when to come back; `ending`: how many streams end together with it. `chance` is from 0 to below 1. */
export const retryLine = (chance: number, ending = 1): string => {
  const spreadMs = Math.min(spreadMostMs, Math.max(latestMs, (ending * 1_000) / comingPerSecond))
  return `retry: ${Math.round(soonestMs + chance * (spreadMs - soonestMs))}\n\n`
}
