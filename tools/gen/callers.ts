import { conditionInWords, type Operation, storedInWords } from '@ars/contract'

/** The permitted callers of an operation, as sentences for its description. */
export const callersInSentences = (operation: Operation): string =>
  [
    needs(operation),
    ...(operation.conditionalScopes ?? []).map((condition) => `Requires ${conditionInWords(condition)}.`),
    ...(operation.storedScopes ?? []).map((condition) => `Requires ${storedInWords(condition)}.`),
    operation.names === 'organisation' && 'A key that is narrowed to agents, or a demo key, cannot call it.',
    operation.allRuns && 'A credential that sees only its own runs cannot call it.',
    operation.session === 'suffices' && 'A browser session needs no scope.',
    operation.session === 'required' && operation.scope !== 'signed_in' && 'Only a browser session can call it.',
    operation.lasting && 'A short-lived token cannot call it.',
    operation.crossOrigin && 'Pages of other origins can call it with a short-lived token only.',
    operation.shared && 'The token of a link to the run can call it.',
    operation.alsoAtRoot && 'Also served at the root, without the base path.',
  ]
    .filter(Boolean)
    .join(' ')

/** The same in a cell of a table. */
export const callersInWords = ({
  scope,
  alsoScopes = [],
  conditionalScopes = [],
  storedScopes = [],
  session,
  crossOrigin,
  shared,
}: Operation): string =>
  [
    session !== 'required' || scope !== 'signed_in' ? requiredInWords(scope, alsoScopes) : '',
    session && sessionInWords({ session, scope }),
    ...conditionalScopes.map(conditionInWords),
    ...storedScopes.map(storedInWords),
    crossOrigin && 'other origins with a token',
    shared && 'a link to the run',
  ]
    .filter(Boolean)
    .join('; ')

/** The required credential, as the end of a sentence. */
export const needOf = (scope: string | undefined): string => {
  if (scope === 'anyone') return 'nothing'
  return scope === 'signed_in' ? 'any valid credential' : `the scope ${scope}`
}

/** Whether every caller that met the old requirement meets the new one. */
export const isAsOpen = (before: string | undefined, after: string | undefined): boolean =>
  before === after || after === 'anyone' || (after === 'signed_in' && before !== 'anyone')

const opennessWords: Readonly<Record<string, string>> = {
  anyone: 'anyone',
  signed_in: 'any valid credential',
}

const sessionInWords = ({ session, scope }: Pick<Operation, 'session' | 'scope'>): string => {
  if (session === 'suffices') return 'any browser session'
  return scope === 'signed_in' ? 'a browser session' : 'in a browser session only'
}

const requiredInWords = (scope: string, alsoScopes: readonly string[]): string =>
  opennessWords[scope] ?? [scope, ...alsoScopes].map((each) => `\`${each}\``).join(' and ')

const needs = ({ scope, alsoScopes = [], session }: Operation): string => {
  if (scope === 'anyone') return 'Requires no credential.'
  if (scope === 'signed_in' && session === 'required') return 'Requires a browser session.'
  if (scope === 'signed_in')
    return 'Requires any valid credential: an API key, a browser session or a short-lived token.'
  const all = [scope, ...alsoScopes].map((each) => `\`${each}\``)
  return `Requires the ${all.length > 1 ? 'scopes' : 'scope'} ${all.join(' and ')}.`
}
