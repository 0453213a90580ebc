/** Names of the model, written as Go writes them: `apiKeys` → `APIKeys`, `agent_id` → `AgentID`. */
export const goName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map(goWord)
    .join('')

const goWord = (word: string): string => {
  const upper = word.toUpperCase()
  if (initialisms.has(upper)) return upper
  const plural = upper.replace(/S$/, '')
  if (upper.endsWith('S') && initialisms.has(plural)) return `${plural}s`
  return upper.charAt(0) + word.slice(1)
}

const initialisms: ReadonlySet<string> = new Set([
  'API',
  'HTTP',
  'ID',
  'IP',
  'JSON',
  'LLM',
  'SSE',
  'URL',
  'USD',
  'UUID',
])

/** The name of a parameter of a function. */
export const goArgument = (name: string): string => {
  const [first = '', ...others] = name.split('_')
  return first + others.map(goName).join('')
}

/** A comment, wrapped. Markdown stays as it is: Go's documentation has no other form for code. */
export const goComment = (paragraphs: readonly string[], indent: string): string => {
  const width = 118 - 4 * indent.length
  const lines = paragraphs
    .filter((each) => each !== '')
    .map((paragraph) => paragraph.split('\n').flatMap((line) => wrap(line, width)))
    .flatMap((wrapped, n) => (n === 0 ? wrapped : ['', ...wrapped]))
  return lines.map((line) => `${indent}//${line === '' ? '' : ` ${line}`}\n`).join('')
}

const wrap = (text: string, width: number): string[] => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').filter(Boolean)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' ? lines : [...lines, line]
}

/** A sentence that ends with a full stop. */
export const sentence = (text: string): string => (text === '' || /[.?!:]$/.test(text) ? text : `${text}.`)
