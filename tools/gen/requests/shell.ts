/** A block, or a part of one, that is no list of requests. It stays a shell block, for this reason. */
export class ShellOnly extends Error {}

/** A piece of a word: text as the program gets it, a variable, or a command whose output stands in its place. */
export type Piece = string | { readonly variable: string } | { readonly command: string }

export type Word = {
  /** As it is written. */
  readonly source: string
  readonly pieces: readonly Piece[]
}

/** The commands of a pipeline, each with its words. */
export type Pipeline = readonly (readonly Word[])[]

/** The pipelines of a block, one for each line or part of a line that a semicolon ends. */
export const readShell = (code: string): Pipeline[] => {
  const pipelines: Word[][][] = []
  let commands: Word[][] = [[]]
  const end = (): void => {
    if (commands.some((words) => words.length > 0)) pipelines.push(commands)
    commands = [[]]
  }
  for (let at = 0; at < code.length; ) {
    const rest = code.slice(at)
    const [space = ''] = /^(?:[ \t]|\\\n)+/.exec(rest) ?? []
    const [remark = ''] = /^#[^\n]*/.exec(rest) ?? []
    if (space || remark) at += space.length + remark.length
    else if (/^[\n;]/.test(rest)) {
      end()
      at++
    } else if (/^\|(?!\|)/.test(rest)) {
      commands.push([])
      at++
    } else if (/^[&<>|()]/.test(rest)) throw new ShellOnly(`it uses ${rest.slice(0, 2).trim()} of the shell`)
    else {
      const word = readWord(code, at)
      commands.at(-1)?.push(word)
      at += word.source.length
    }
  }
  end()
  return pipelines
}

const readWord = (code: string, from: number): Word => {
  const pieces: Piece[] = []
  let at = from
  let isQuoted = false
  const add = (piece: Piece): void => {
    const last = pieces.at(-1)
    if (typeof piece === 'string' && typeof last === 'string') pieces[pieces.length - 1] = last + piece
    else if (piece !== '') pieces.push(piece)
  }
  while (at < code.length && (isQuoted || !/[\s;|&<>()]/.test(code[at] ?? ''))) {
    const letter = code[at] ?? ''
    const next = code[at + 1] ?? ''
    if (letter === '"') {
      isQuoted = !isQuoted
      at++
    } else if (letter === "'" && !isQuoted) {
      const close = code.indexOf("'", at + 1)
      add(code.slice(at + 1, close))
      at = close + 1
    } else if (letter === '\\' && (!isQuoted || '$`"\\'.includes(next))) {
      add(next)
      at += 2
    } else if (letter === '$' && next === '(') {
      const close = closing(code, at + 1)
      add({ command: code.slice(at + 2, close) })
      at = close + 1
    } else if (letter === '$') {
      const [whole = '', name = ''] = /^\$([A-Za-z_]\w*)/.exec(code.slice(at)) ?? []
      if (!name) throw new ShellOnly(`it uses ${/^\$\{[^}]*\}|^\$./.exec(code.slice(at))?.[0]} of the shell`)
      add({ variable: name })
      at += whole.length
    } else {
      add(letter)
      at++
    }
  }
  return { source: code.slice(from, at), pieces }
}

/** The place of the bracket that closes the one at `open`. */
const closing = (code: string, open: number): number => {
  let depth = 0
  for (let at = open; at < code.length; at++) {
    const letter = code[at]
    if (letter === "'") at = code.indexOf("'", at + 1)
    else if (letter === '(') depth++
    else if (letter === ')' && --depth === 0) return at
  }
  throw new ShellOnly('a bracket is not closed')
}
