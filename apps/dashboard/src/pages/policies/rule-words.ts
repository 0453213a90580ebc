import type { PolicyRule, StreamDelay } from '@agent-run-service/sdk'
import { count } from '../../ui/format.ts'
import { wordOf, words } from '../../ui/words.ts'

type Params = Readonly<Record<string, unknown>>

/** The words of a check: what it finds, and the part of a sentence that says which contents have it. */
type CheckWords = { found: string; having: string }

const maxNamed = 5
const maxChars = 120

/** One sentence for a rule, such as "Block inputs and outputs with one of the words red, blue." */
export const ruleSentence = ({
  check,
  stages,
  action,
  params,
}: Pick<PolicyRule, 'check' | 'action'> & { stages: readonly string[]; params: Params }): string => {
  const where = listed(stages.map((stage) => wordOf(words.policyStages, stage)))
  const { found, having } = wordsOf(check, params)
  switch (action) {
    case 'block':
      return `Block ${where} ${having}.`
    case 'require_approval':
      return `Ask a person about ${where} ${having}.`
    case 'redact':
      return `Redact ${found} in ${where}.`
    case 'flag':
      return `Record a finding for ${where} ${having}.`
    default:
      return `${action}: ${where} ${having}.`
  }
}

const wordsOf = (check: string, params: Params): CheckWords =>
  checks[check as keyof typeof checks]?.(params) ?? {
    found: `what the check ${check} finds`,
    having: `with a finding of the check ${check}`,
  }

const checks: Readonly<Record<PolicyCheckName, (params: Params) => CheckWords>> = {
  regex: ({ pattern }) => ({
    found: `matches of the pattern ${cut(pattern)}`,
    having: `with a match of the pattern ${cut(pattern)}`,
  }),
  keywords: (params) => {
    const named = some(textsOf(params.words))
    return { found: `the words ${named}`, having: `with one of the words ${named}` }
  },
  pii: (params) => {
    const kinds = textsOf(params.kinds).map((kind) => wordOf(words.piiKinds, kind))
    return { found: listed(kinds), having: `that contain ${listed(kinds, 'or')}` }
  },
  secrets: () => ({ found: 'secrets', having: 'that contain a secret' }),
  json_schema: () => ({ found: 'what does not match the JSON Schema', having: 'that do not match the JSON Schema' }),
  url_allow: (params) => {
    const others = `other hosts than ${some(textsOf(params.hosts))}`
    return { found: `addresses of ${others}`, having: `with addresses of ${others}` }
  },
  max_length: ({ chars }) => ({
    found: `texts longer than ${count(Number(chars))} characters`,
    having: `longer than ${count(Number(chars))} characters`,
  }),
  expression: ({ expression, message }) => {
    const when = `if ${cut(expression)} (${cut(message).replace(/\.$/, '')})`
    return { found: `texts ${when}`, having: when }
  },
  model: ({ model, instructions }) => {
    const said = `the model ${cut(model)} finds: ${cut(instructions).replace(/\.$/, '')}`
    return { found: `what ${said}`, having: `in which ${said}` }
  },
  http: ({ url }) => {
    const said = `the server ${hostOf(url)} finds something`
    return { found: `what the server ${hostOf(url)} finds`, having: `in which ${said}` }
  },
  presidio: (params) => {
    const entities = textsOf(params.entities)
    const what = entities.length === 0 ? 'any entity' : listed(entities.slice(0, maxNamed), 'or')
    return {
      found: `what Presidio at ${hostOf(params.url)} takes for ${what}`,
      having: `in which Presidio at ${hostOf(params.url)} finds ${what}`,
    }
  },
}

type PolicyCheckName = keyof typeof words.policyChecks

/** How the policy delays streams of output. */
export const delayWords = ({ mode, chars }: StreamDelay): string => {
  switch (mode) {
    case 'none':
      return 'Streams are not delayed'
    case 'window':
      return `Streams hold back the newest ${count(chars)} characters`
    case 'chunk':
      return `Streams are checked in pieces of ${count(chars)} characters`
    case 'whole':
      return 'Text appears when all of it is checked'
    default:
      return mode
  }
}

/** `a`, `a and b`, `a, b and c`. */
export const listed = (items: readonly string[], last: 'and' | 'or' = 'and'): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`

/** The first of many. */
const some = (items: readonly string[]): string =>
  items.length <= maxNamed + 1
    ? items.map(cut).join(', ')
    : `${items.slice(0, maxNamed).map(cut).join(', ')} and ${count(items.length - maxNamed)} more`

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

const cut = (value: unknown): string => {
  const text = String(value)
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text
}

const hostOf = (url: unknown): string => URL.parse(String(url))?.host ?? cut(url)
