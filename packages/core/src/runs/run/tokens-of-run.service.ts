import type { Database } from '@ars/platform/db/database'
import type { RunTokens } from '../../guardrails/index.ts'
import type { SecretService } from '../../secrets/index.ts'
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
  let numbers: Promise<Map<string, Redaction>> | undefined
  let last: Promise<unknown> = Promise.resolve()

  const load = async (): Promise<Map<string, Redaction>> =>
    new Map((await source.known()).map((each) => [keyOf(each), each]))

  const assign = async (values: readonly { kind: string; value: string }[]): Promise<string[]> => {
    numbers ??= load().catch((error: unknown) => {
      numbers = undefined
      throw error
    })
    const known = await numbers
    const hashed = await Promise.all(
      values.map(async ({ kind, value }) => ({ kind, hash: await secrets.fingerprint(org, `${kind}:${value}`) })),
    )
    const added: Redaction[] = []
    for (const { kind, hash } of hashed) {
      if (known.has(keyOf({ kind, hash }))) continue
      const number = 1 + [...known.values()].filter((each) => each.kind === kind).length
      const redaction = { kind, hash, number }
      known.set(keyOf(redaction), redaction)
      added.push(redaction)
    }
    if (added.length > 0) await source.store(added)
    return hashed.map((each) => tokenOf({ kind: each.kind, number: known.get(keyOf(each))?.number ?? 0 }))
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

const keyOf = ({ kind, hash }: Pick<Redaction, 'kind' | 'hash'>): string => `${kind}:${hash.toString('base64')}`
