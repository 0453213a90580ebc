/** A shell block of a page, with what its fence says about it. */
export type Block = {
  readonly page: string
  /** The line of its first command. */
  readonly line: number
  readonly code: string
  readonly mode: BlockMode
}

/**
 * `run`: must end with status 0. `background`: must live until the end of its page. `fails`: must end with another status.
 * `skip`: is not executed, for a reason that the fence names. `proof`: another proof, which the fence names, executes it.
 */
export type BlockMode = 'run' | 'background' | 'fails' | 'skip' | 'proof'

export type Page = { readonly file: string; readonly blocks: readonly Block[]; readonly faults: readonly string[] }

export const maxSkips = 8

const fence = /^( *)(`{3,}|~{3,}) *(.*?) *$/
const otherNames = ['bash', 'shell', 'console', 'zsh', 'shell-session', 'terminal']

/** The `sh` blocks of a page, in order, and everything that is wrong with their fences. */
export const parsePage = (file: string, text: string): Page => {
  const blocks: Block[] = []
  const faults: string[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const opening = fence.exec(lines[at] ?? '')
    if (!opening) continue
    const [, indent = '', marks = '', info = ''] = opening
    const end = lines.findIndex((line, index) => index > at && isClosing(line, marks))
    const place = `${file}:${at + 1}`
    if (end < 0) {
      faults.push(`${place}: the block has no end`)
      break
    }
    const [language = '', ...words] = info.split(/ +/)
    if (otherNames.includes(language))
      faults.push(`${place}: write \`sh\` instead of \`${language}\`, so that it is run`)
    if (language === 'sh') {
      const mode = modeOf(words.join(' '))
      if (!mode)
        faults.push(`${place}: \`${info}\`: use sh, sh background, sh fails, sh skip="reason" or sh proof="name"`)
      const code = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
      blocks.push({ page: file, line: at + 2, code: `${code.join('\n')}\n`, mode: mode ?? 'run' })
    }
    at = end
  }
  return { file, blocks, faults }
}

/** Faults of all pages together: of each fence, and of the number of blocks that are skipped. */
export const faultsOf = (pages: readonly Page[]): string[] => {
  const skips = pages.flatMap(({ blocks }) => blocks.filter(({ mode }) => mode === 'skip'))
  const inReadme = skips.filter(({ page }) => page === 'README.md')
  return [
    ...pages.flatMap(({ faults }) => faults),
    ...inReadme.map(({ page, line }) => `${page}:${line}: no block of the README may be skipped`),
    ...(skips.length > maxSkips
      ? [
          `${skips.length} blocks are skipped; at most ${maxSkips} may be: ${skips.map(({ page, line }) => `${page}:${line}`).join(', ')}`,
        ]
      : []),
  ]
}

const isClosing = (line: string, marks: string): boolean => {
  const found = fence.exec(line)
  return found?.[3] === '' && found[2]?.[0] === marks[0] && (found[2]?.length ?? 0) >= marks.length
}

const modeOf = (annotation: string): BlockMode | undefined => {
  if (annotation === '') return 'run'
  if (annotation === 'background' || annotation === 'fails') return annotation
  if (/^proof="[a-z-]+"$/.test(annotation)) return 'proof'
  return /^skip="[^"]*\S[^"]*"$/.test(annotation) ? 'skip' : undefined
}
