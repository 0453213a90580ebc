/** The header of a generated page. */
export const pageHead = (title: string, source: string): string =>
  `<!-- Generated from ${source} by \`pnpm gen\`. Edit the source instead. -->\n\n# ${title}\n`

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`).join('\n')

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
