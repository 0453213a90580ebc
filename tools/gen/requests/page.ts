import { parseBlock } from './parse-block.ts'
import type { Json, Request, Statement, Text } from './request.ts'
import { ShellOnly } from './shell.ts'

/** A `sh` block of a page. It is a list of requests, or it stays a shell block for a reason. */
export type RequestBlock = {
  /** The line of its first command. */
  readonly line: number
  /** Where it begins and ends in the text of the page, with its fences. */
  readonly from: number
  readonly to: number
  readonly code: string
  /** The last request is refused, as the page says. */
  readonly fails: boolean
} & ({ readonly statements: readonly Statement[] } | { readonly reason: string })

export const isRequests = (
  block: RequestBlock,
): block is Extract<RequestBlock, { readonly statements: readonly Statement[] }> => 'statements' in block

const fence = /^```sh(?: (\w+)[^\n]*)?\n([\s\S]*?)^```/gm

/** Every `sh` block of a page that calls the API, in order. */
export const readRequests = (markdown: string): RequestBlock[] => {
  const known = new Set<string>()
  const blocks = [...markdown.matchAll(fence)].map((found): RequestBlock & { calls: boolean } => {
    const [, mode = '', code = ''] = found
    const block = {
      line: markdown.slice(0, found.index).split('\n').length + 1,
      from: found.index,
      to: found.index + found[0].length,
      code,
      fails: mode === 'fails',
      calls: /(?:^|[\s(])(?:call|agent|run test-[a-z]+) /m.test(code) || code.includes('. .dev/env'),
    }
    try {
      const statements = parseBlock(code)
      const unknown = use(statements, known)
      if (unknown) throw new ShellOnly(`$${unknown} is a value of a block that no program can read`)
      return { ...block, statements }
    } catch (error) {
      if (!(error instanceof ShellOnly)) throw error
      for (const [, name = ''] of code.matchAll(/(?:^|\s)(\w+)=/g)) known.delete(name)
      return { ...block, reason: error.message }
    }
  })
  const isRequest = (block: RequestBlock) =>
    isRequests(block) && block.statements.some(({ kind }) => kind === 'request')
  // A page that only sets the terminal up and then uses `ars` is no page of requests.
  if (!blocks.some(isRequest)) return blocks.flatMap((block) => (hasCall(block) ? shellOnly(block) : []))
  return blocks.flatMap(({ calls, ...block }) => (calls || isRequests(block) ? [block] : []))
}

const hasCall = ({ code }: RequestBlock): boolean => /(?:^|[\s(])call /m.test(code)

const shellOnly = (block: RequestBlock): RequestBlock[] => (isRequests(block) ? [] : [block])

/** Adds what the statements save; answers the first variable that nothing has saved. */
const use = (statements: readonly Statement[], known: Set<string>): string | undefined => {
  const saved = new Set(known)
  for (const statement of statements) {
    const missing = variablesOf(statement).find((name) => !saved.has(name) && !isEnvironment(name))
    if (missing) return missing
    if ('save' in statement && statement.save !== undefined) saved.add(statement.save)
  }
  for (const name of saved) known.add(name)
  return undefined
}

/** The reader sets these before the program starts. */
export const isEnvironment = (name: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(name)

const variablesOf = (statement: Statement): string[] => {
  if (statement.kind === 'field') return [statement.of]
  if (statement.kind === 'text') return inText(statement.text)
  return 'request' in statement ? inRequest(statement.request) : []
}

const inRequest = ({ path, query, headers, body }: Request): string[] => [
  ...inText(path),
  ...[...query, ...headers].flatMap(({ value }) => inText(value)),
  ...(body ? inJson(body.json) : []),
]

const inText = (text: Text): string[] =>
  text.flatMap((part) => {
    if (typeof part === 'string') return []
    return 'variable' in part ? [part.variable] : []
  })

const inJson = (json: Json): string[] => {
  if (typeof json !== 'object' || json === null) return []
  if (Array.isArray(json)) return json.flatMap(inJson)
  if ('bare' in json) return inText([json.bare])
  if ('quoted' in json) return inText(json.quoted)
  return 'fields' in json ? json.fields.flatMap(([, value]) => inJson(value)) : []
}
