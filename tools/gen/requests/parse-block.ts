import { parseJson } from './parse-json.ts'
import type { Request, Statement, Text, TextPart } from './request.ts'
import { type Piece, type Pipeline, readShell, ShellOnly, type Word } from './shell.ts'

/** The test agents' guide defines this function; its calls are requests like any other. */
const runFunction = /^run\(\) \{ call \/runs -d .*\}\n/m

/** The steps of a `sh` block. It throws `ShellOnly` if a program cannot send them. */
export const parseBlock = (code: string): Statement[] => {
  const waits: { path: string; field: string; value: string }[] = []
  const lines = code
    .replace(runFunction, '')
    .replaceAll(
      /^until (?:\[|test) "\$\(call "([^"]*)" \| field ([\w.]+)\)" = (\w+)(?: \])?; do sleep 1; done$/gm,
      (_, path: string, field: string, value: string) => `wait ${waits.push({ path, field, value }) - 1}`,
    )
  return readShell(lines).flatMap((pipeline) => {
    const [name = '', index = ''] = (pipeline[0] ?? []).map(({ source }) => source)
    const wait = name === 'wait' && waits[Number(index)]
    if (!wait) return parsePipeline(pipeline)
    const { steps, request } = parseCall(readShell(`call "${wait.path}"`)[0]?.[0] ?? [])
    return [...steps, { kind: 'wait', request, field: wait.field, value: wait.value } as const]
  })
}

const parsePipeline = (pipeline: Pipeline): Statement[] => {
  const [words = [], ...others] = pipeline
  const [first] = words
  const assigned = /^([A-Za-z_]\w*)=/.exec(
    words[0]?.source === 'export' ? (words[1]?.source ?? '') : (first?.source ?? ''),
  )
  if (assigned) return parseAssignment(assigned[1] ?? '', words.at(-1))
  if (first?.source === '.' && words[1]?.source === '.dev/env') return [{ kind: 'setup' }]
  // The terminal shows the address; a program knows it.
  if (first?.source === 'echo' && words[1]?.source === '"$ARS_BASE_URL"') return []
  if (first?.source === 'sleep') return [{ kind: 'sleep', seconds: Number(words[1]?.source) }]
  return parseCommand([words, ...others])
}

/** A command whose output is shown, or saved in a variable. */
const parseCommand = (pipeline: Pipeline, save?: string): Statement[] => {
  const [words = [], filter, ...more] = pipeline
  const name = words[0]?.source ?? ''
  const field = filter && fieldOf(filter)
  if (more.length > 0) throw new ShellOnly('its output goes through several programs')
  const saved = save === undefined ? {} : { save }
  const shown = { ...(field !== undefined && { field }), ...saved }
  if (name === 'call' || name === 'run') {
    const { steps, request } = parseCall(name === 'run' ? callOfRun(words) : words)
    return [...steps, { kind: 'request', request, ...shown }]
  }
  const [, ofWord] = words
  const [piece] = ofWord?.pieces ?? []
  if (name === 'echo' && field !== undefined && typeof piece === 'object' && 'variable' in piece)
    return [{ kind: 'field', of: piece.variable, field, ...saved }]
  if (name === 'agent' && save !== undefined) return [{ kind: 'agent', agent: plainOf(words[1]), save }]
  throw new ShellOnly(`it uses ${/^[a-z-]+$/.test(name) ? `\`${name}\`` : 'other programs'}`)
}

const parseAssignment = (save: string, word: Word | undefined): Statement[] => {
  const [head = '', ...pieces] = word?.pieces ?? []
  if (typeof head !== 'string') throw new ShellOnly('an assignment has no name')
  const text: Piece[] = [head.slice(save.length + 1), ...pieces].filter((piece) => piece !== '')
  const [only] = text
  if (text.length === 1 && typeof only === 'object' && 'command' in only && clockOf(only.command) === undefined) {
    const [pipeline, ...others] = readShell(only.command)
    if (!pipeline || others.length > 0) throw new ShellOnly('a variable gets the output of several commands')
    return parseCommand(pipeline, save)
  }
  const { steps, parts } = textOf(text)
  return [...steps, { kind: 'text', text: parts, save }]
}

const fieldOf = (words: readonly Word[]): string => {
  if (words[0]?.source !== 'field') throw new ShellOnly(`it uses \`${words[0]?.source}\``)
  return plainOf(words[1])
}

const plainOf = (word: Word | undefined): string => {
  const [piece = '', ...others] = word?.pieces ?? []
  if (typeof piece !== 'string' || others.length > 0) throw new ShellOnly('a name is computed')
  return piece
}

type Made<Value> = { readonly steps: readonly Statement[] } & Value

/** Pieces of a word as a text. The output of a command in it is saved in a step before. */
const textOf = (pieces: readonly Piece[]): Made<{ parts: Text }> => {
  const steps: Statement[] = []
  const parts = pieces.map((piece): TextPart => {
    if (typeof piece === 'string' || 'variable' in piece) return piece
    const found = clockOf(piece.command)
    if (found) return found
    const [statement] = parseCommand(readShell(piece.command)[0] ?? [], 'inner')
    if (statement?.kind !== 'agent' && statement?.kind !== 'field')
      throw new ShellOnly('a request stands inside of a text')
    const save = statement.kind === 'agent' ? agentVariable(statement.agent) : (statement.field.split('.').at(-1) ?? '')
    steps.push({ ...statement, save })
    return { variable: save }
  })
  return { steps, parts }
}

const agentVariable = (agent: string): string => agent.replaceAll('-', '_')

const clockOf = (command: string): TextPart | undefined => {
  if (command === 'date +%s') return { clock: 'seconds' }
  if (command === 'date -u +%Y-%m') return { clock: 'month' }
  const [, product] = /^node -p 'new Date\(Date\.now\(\) - ([\d_ *]+)\)\.toISOString\(\)'$/.exec(command) ?? []
  if (!product) return undefined
  return { agoMs: product.split('*').reduce((all, each) => all * Number(each.replaceAll('_', '')), 1) }
}

/** `run test-echo '{…}' [options]` as the call that it is. */
const callOfRun = ([, agent, input, ...options]: readonly Word[]): readonly Word[] => {
  const body = `'{"agent_id":"'$(agent ${agent?.source})'","input":'${input?.source}'}'`
  return (
    readShell(`call /runs -d ${body.replaceAll("''", '')} ${options.map(({ source }) => source).join(' ')}`)[0]?.[0] ??
    []
  )
}

const parseCall = (words: readonly Word[]): Made<{ request: Request }> => {
  const steps: Statement[] = []
  const take = (pieces: readonly Piece[]): Text => {
    const made = textOf(pieces)
    steps.push(...made.steps)
    return made.parts
  }
  const [, address, ...options] = words
  const url = splitUrl(take(address?.pieces ?? []))
  const query = [...url.query]
  const headers: { name: string; value: Text }[] = []
  let method: string | undefined
  let body: Request['body']
  let showsHeaders = false
  for (let at = 0; at < options.length; at++) {
    const option = options[at]?.source ?? ''
    const value = options[at + 1]
    if (option === '-i') showsHeaders = true
    else if (option !== '-G' && option !== '-g') {
      at++
      const parts = take(value?.pieces ?? [])
      if (option === '-X') method = String(parts[0])
      else if (option === '-H') headers.push(splitAt(parts, ': '))
      else if (option === '--data-urlencode') query.push({ ...splitAt(parts, '='), isEncoded: true })
      else if (option === '-d') body = { json: parseJson(parts), source: sourceOf(value) }
      else throw new ShellOnly(`it uses ${option} of curl`)
    }
  }
  const request = { path: url.path, query, headers, showsHeaders, ...(body && { body }) }
  return {
    steps: once(steps),
    request: { ...request, method: (method ?? (body ? 'POST' : 'GET')) as Request['method'] },
  }
}

const once = (steps: readonly Statement[]): Statement[] => [
  ...new Map(steps.map((step) => [JSON.stringify(step), step])).values(),
]

/** The source of a word, with variables for the agents that are looked up before. */
const sourceOf = (word: Word | undefined): string =>
  (word?.source ?? '').replaceAll(/"?\$\(agent ([\w-]+)\)"?/g, (whole, name: string) => {
    const quotes = whole.startsWith('"') && whole.endsWith('"')
    return quotes ? `"$${agentVariable(name)}"` : whole.replace(/\$\(.*\)/, `$${agentVariable(name)}`)
  })

const splitAt = (text: Text, mark: string): { name: string; value: Text } => {
  const [head = '', ...rest] = text
  const place = typeof head === 'string' ? head.indexOf(mark) : -1
  if (typeof head !== 'string' || place < 0) throw new ShellOnly('a name is computed')
  return { name: head.slice(0, place), value: [head.slice(place + mark.length), ...rest].filter((part) => part !== '') }
}

/** `/runs?limit=2&after=$id` as path and query. */
const splitUrl = (text: Text): Pick<Request, 'path' | 'query'> => {
  const groups: TextPart[][] = [[]]
  for (const part of text) {
    const [first = '', ...others] = typeof part === 'string' ? part.split(/[?&]/) : [part]
    if (first !== '') groups.at(-1)?.push(first)
    for (const each of others) groups.push(each === '' ? [] : [each])
  }
  const [path = [], ...pairs] = groups
  return { path, query: pairs.map((pair) => ({ ...splitAt(pair, '='), isEncoded: false })) }
}
