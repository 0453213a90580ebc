import type { ApiCaller } from '../lab/client/api-caller.ts'
import type { Shot } from '../lab/client/open-loop.ts'
import type { Attempt, RunClient } from './run-client.ts'

/** One try, in the journal like any other, and how long it took without the journal. */
export const shootOnce = async (
  client: RunClient,
  gateway: number,
  attempt: Attempt,
  through: ApiCaller | undefined = client.gateways[gateway],
): Promise<Pick<Shot, 'tookMs' | 'answer'>> => {
  if (!through) throw new Error(`there is no gateway ${gateway}`)
  let tookMs = Number.NaN
  const timed: ApiCaller = {
    ...through,
    call: async (call, options) => {
      const begun = performance.now()
      try {
        return await through.call(call, options)
      } finally {
        tookMs = performance.now() - begun
      }
    },
  }
  const answer = await client.attempt(gateway, attempt, timed)
  return { tookMs, answer }
}
