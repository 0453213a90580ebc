import { readFileSync } from 'node:fs'
import type { ServerPart } from '../dev/server.ts'

/** When a gateway began, or ended, to count rates by itself because Redis did not answer. */
export interface LimiterTurn {
  at: Date
  isAlone: boolean
}

const alone = 'rate limits are counted in process'
const shared = 'rate limits are shared again'

/** By the gateway's own log, in the order of time. */
export function limiterTurns({ logFile }: Pick<ServerPart, 'logFile'>): LimiterTurn[] {
  return readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes(alone) || line.includes(shared))
    .map((line) => {
      const { time, msg } = JSON.parse(line) as { time: string; msg: string }
      return { at: new Date(time), isAlone: msg === alone }
    })
}
