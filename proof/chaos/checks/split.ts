import { sha256 } from '@ars/platform/crypto'

/** A run of an agent that has a canary out, or had one. Ids are UUIDs. */
export type SplitRun = {
  key: string
  agent_version: number
  deployment_id: string | null
  /** Accepted while the canary was out. */
  is_watched: boolean
  created_at: Date
}

/** The released versions of an agent, since the canary. */
export type Split = {
  agentId: string
  percent: number
  live: { version: number; deploymentId: string }
  canary: { version: number; deploymentId: string }
  /** Null: it is still out. */
  endedAt: Date | null
}

/** Written from the guide and not taken from the service: a judge does not borrow the accused's book of law. */
export const sideOf = ({ agentId, percent }: Pick<Split, 'agentId' | 'percent'>, key: string): 'canary' | 'live' =>
  sha256(`${agentId}:${key}`).readUInt32BE(0) % 10_000 < percent * 100 ? 'canary' : 'live'

/** While a canary is out the key alone decides on which version a run is; afterwards none is on the canary's. */
export const checkSplit = (split: Split, runs: readonly SplitRun[]): string[] =>
  runs.flatMap((run) => {
    const side = run.is_watched ? sideOf(split, run.key) : 'live'
    const { version, deploymentId } = split[side]
    const isRight = run.agent_version === version && run.deployment_id === deploymentId
    const isOut = split.endedAt === null || run.created_at.getTime() < split.endedAt.getTime()
    return [
      ...(isRight ? [] : [`${run.key} belongs to version ${version} and is on version ${run.agent_version}`]),
      ...(isOut && !run.is_watched ? [`${run.key} was accepted while the canary was out and is not watched`] : []),
    ]
  })
