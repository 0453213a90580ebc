import { readFileSync } from 'node:fs'
import type { ServerPart } from '@ars/tools/dev/server'

/** When a gateway began or stopped counting rates locally because Redis did not answer. */
export type LimiterTurn = {
  at: Date
  isAlone: boolean
}

const alone = 'rate limits are counted in process'
const shared = 'rate limits are shared again'

/** By the gateway's own log, in the order of time. */
export const limiterTurns = ({ logFile }: Pick<ServerPart, 'logFile'>): LimiterTurn[] =>
  readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes(alone) || line.includes(shared))
    .map((line) => {
      const { time, msg } = JSON.parse(line) as { time: string; msg: string }
      return { at: new Date(time), isAlone: msg === alone }
    })
