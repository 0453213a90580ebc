import type { Operation } from '@ars/contract'

/** Who may call an operation, in sentences, for its description. */
export const callersInSentences = (operation: Operation): string =>
  [
    needs(operation.scope),
    operation.crossOrigin && 'A page of another origin may call it with a short-lived token, and with nothing else.',
    operation.alsoAtRoot && 'It is served at the root too, without the base path.',
  ]
    .filter(Boolean)
    .join(' ')

/** The same in a cell of a table. */
export const callersInWords = ({ scope, crossOrigin }: Operation): string =>
  [opennessWords[scope] ?? `\`${scope}\``, crossOrigin && 'other origins with a token'].filter(Boolean).join('; ')

/** What a caller must have, as the end of a sentence. */
export const needOf = (scope: string | undefined): string => {
  if (scope === 'anyone') return 'nothing'
  return scope === 'signed_in' ? 'any valid credential' : `the scope ${scope}`
}

/** Whether everybody who had what was needed has what is needed now. */
export const isAsOpen = (before: string | undefined, after: string | undefined): boolean =>
  before === after || after === 'anyone' || (after === 'signed_in' && before !== 'anyone')

const opennessWords: Readonly<Record<string, string>> = {
  anyone: 'anyone',
  signed_in: 'whoever has a valid credential',
}

const needs = (scope: Operation['scope']): string => {
  if (scope === 'anyone') return 'Anyone may call it: it needs no credential.'
  if (scope === 'signed_in') return 'Any valid credential will do: a key, a browser session or a short-lived token.'
  return `Needs the scope \`${scope}\`.`
}
