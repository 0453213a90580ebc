import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '@ars/platform/db/database'
import type { RunTokens } from '../../guardrails/index.ts'
import type { SecretService } from '../../secrets/index.ts'
import { runsBounds } from '../bounds.ts'
import { type Redaction, tokenOf } from './guarded-run.ts'
import { addRedactions, listRedactions } from './redaction.store.ts'

type Source = {
  /** The numbers that the run has so far. */
  known(): Promise<readonly Redaction[]>
  store(added: readonly Redaction[]): Promise<void>
}

/**
 * Numbers for the hidden values of a run, by a keyed hash of each value. One call at a time: two values must not get the same number.
 */
export const createTokens = (
  { secrets, org }: { secrets: Pick<SecretService, 'fingerprint'>; org: string },
  source: Source,
): RunTokens => {
  let numbers: Promise<Numbers> | undefined
  let last: Promise<unknown> = Promise.resolve()

  const load = async (): Promise<Numbers> => {
    const loaded: Numbers = { known: new Map(), counts: new Map() }
    for (const each of await source.known()) remember(loaded, each)
    return loaded
  }

  const assign = async (values: readonly { kind: string; value: string }[]): Promise<string[]> => {
    numbers ??= load().catch((error: unknown) => {
      numbers = undefined
      throw error
    })
    const all = await numbers
    const added: Redaction[] = []
    const tokens: string[] = []
    // A content can have thousands of them.
    for (let from = 0; from < values.length; from += valuesPerTurn) {
      if (from > 0) await nextTurn()
      const hashed = await Promise.all(
        values
          .slice(from, from + valuesPerTurn)
          .map(async ({ kind, value }) => ({ kind, hash: await secrets.fingerprint(org, `${kind}:${value}`) })),
      )
      for (const { kind, hash } of hashed) {
        const found = all.known.get(keyOf({ kind, hash }))
        const redaction = found ?? { kind, hash, number: 1 + (all.counts.get(kind) ?? 0) }
        if (!found) {
          remember(all, redaction)
          added.push(redaction)
        }
        tokens.push(tokenOf(redaction))
      }
    }
    if (added.length > 0) await source.store(added)
    return tokens
  }

  return {
    tokensFor: (values) => {
      const mine = last.then(() => assign(values))
      last = mine.catch(() => undefined)
      return mine
    },
  }
}

/** The numbers of a run that is stored. */
export const tokensOfRun = (
  { app, secrets }: { app: Database; secrets: Pick<SecretService, 'fingerprint'> },
  org: string,
  run: string,
): RunTokens =>
  createTokens(
    { secrets, org },
    { known: () => listRedactions(app, org, run), store: (added) => addRedactions(app, org, run, added) },
  )

/** `counts`: how many values of a kind have a number. */
type Numbers = { known: Map<string, Redaction>; counts: Map<string, number> }

const valuesPerTurn = runsBounds.valuesSealedTogether.count

const remember = ({ known, counts }: Numbers, redaction: Redaction): void => {
  known.set(keyOf(redaction), redaction)
  counts.set(redaction.kind, (counts.get(redaction.kind) ?? 0) + 1)
}

const keyOf = ({ kind, hash }: Pick<Redaction, 'kind' | 'hash'>): string => `${kind}:${hash.toString('base64')}`
