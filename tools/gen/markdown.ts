/** The first lines of a page that nobody writes by hand. */
export const pageHead = (title: string, source: string): string =>
  `<!-- Made from ${source} by \`pnpm gen\`. Change it there. -->\n\n# ${title}\n`

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`).join('\n')

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
