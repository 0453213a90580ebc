import type { Stage } from '../rule.ts'

/** A run that has ended, as policies would have seen it. Ids are UUIDs. */
export type PastRun = {
  id: string
  agentId: string
  agentVersion: number
  /** The first of rotated keys; null: a person created the run. */
  keyId: string | null
  createdAt: Date
  /** Its data was erased, so it has no contents. */
  isErased: boolean
  /** Policies of that time have replaced something by tokens. */
  isRedacted: boolean
  contents: readonly PastContent[]
}

/** What policies judge at one moment. `spentUsd`: what the run had cost before it. */
export type PastContent = {
  stage: Stage
  content: unknown
  tool?: { name: string; args: unknown } | undefined
  spentUsd: number
}

/** Runs with ids between two ids, both excluded. */
export type PastRange = { after: string; before: string; agentId: string | null }

export type PastPage = PastRange & {
  /** About `take` runs of `of` are chosen by their ids: the same ones every time. Null: all. */
  sample: { of: number; take: number } | null
  maxRuns: number
  /** Of their stored data. The first run always fits. */
  maxBytes: number
}
