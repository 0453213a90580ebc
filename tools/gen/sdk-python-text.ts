/** Words of Python that a parameter or field cannot have as its name. */
const reserved: ReadonlySet<string> = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False'.split(
    ' ',
  ),
)

/** Names of pydantic's base class, which a field must not hide. */
const taken: ReadonlySet<string> = new Set(
  'construct copy dict from_orm json parse parse_file parse_obj parse_raw schema schema_json to_dict update_forward_refs validate'.split(
    ' ',
  ),
)

export const pythonName = (name: string): string => (reserved.has(name) ? `${name}_` : name)
export const fieldName = (name: string): string => (reserved.has(name) || taken.has(name) ? `${name}_` : name)

/** `rotateSecret` → `rotate_secret` */
export const snake = (name: string): string =>
  pythonName(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

/** `apiKeys` → `ApiKeys` */
export const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** `runs.create` → `RUNS_CREATE` */
export const constant = (id: string): string => id.split('.').map(snake).join('_').toUpperCase()

export const literal = (value: unknown): string => {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null) return 'None'
  return JSON.stringify(value)
}

export const note =
  '# Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.\n\nfrom __future__ import annotations\n'

const width = 116

/** A docstring at this indentation; nothing for no text. */
export const docstring = (text: string, indent: string): string => {
  if (text.trim() === '') return ''
  const safe = text.trim().replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')
  const lines = safe.split('\n').flatMap((line) => wrap(line, width - indent.length))
  const end = safe.endsWith('"') ? ' ' : ''
  if (lines.length === 1) return `${indent}"""${lines[0]}${end}"""\n`
  const body = lines.map((line) => (line === '' ? '' : indent + line)).join('\n')
  return `${indent}"""\n${body}\n${indent}"""\n`
}

/** Breaks a line between words; what follows keeps its indentation. */
const wrap = (line: string, max: number): string[] => {
  const [, margin = ''] = /^(\s*)/.exec(line) ?? []
  const lines: string[] = []
  let current = ''
  for (const word of line.trim().split(' ')) {
    if (current !== '' && margin.length + current.length + 1 + word.length > max) {
      lines.push(margin + current)
      current = word
    } else current = current === '' ? word : `${current} ${word}`
  }
  return [...lines, (margin + current).trimEnd()]
}
