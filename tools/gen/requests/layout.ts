/** Source text that is on one line if it fits, and otherwise has one item per line. */
export type Layout = string | Group

export type Group = {
  readonly open: string
  readonly items: readonly Item[]
  readonly close: string
  /** Spaces inside the brackets when it is on one line: `{ a }`. */
  readonly isPadded?: boolean
  /** The brackets of the last item follow those of the group: `f(a, {`. */
  readonly hugs?: boolean
  /** The values of consecutive lines stand in a column, as gofmt writes them. */
  readonly aligns?: boolean
}

export type Item = { readonly head?: string; readonly value: Layout }

export type Style = { readonly unit: string; readonly width: number }

export const group = (
  open: string,
  values: readonly Layout[],
  close: string,
  more: Pick<Group, 'isPadded' | 'hugs'> = {},
): Group => ({
  open,
  items: values.map((value) => ({ value })),
  close,
  ...more,
})

/** The layout between two texts. */
export const around = (before: string, layout: Layout, after = ''): Layout =>
  typeof layout === 'string'
    ? before + layout + after
    : { ...layout, open: before + layout.open, close: layout.close + after }

export const printLayout = (layout: Layout, style: Style, indent = ''): string => {
  const line = onOneLine(layout)
  if (typeof layout === 'string' || layout.items.length === 0 || fits(line, style, indent)) return line
  const { open, items, close, hugs = false } = layout
  const last = items.at(-1)
  const firsts = items.slice(0, -1)
  if (hugs && last && typeof last.value !== 'string' && firsts.every(({ value }) => typeof value === 'string')) {
    const before = [...firsts.map(itemLine), ''].join(', ')
    return printLayout(around(open + before + (last.head ?? ''), last.value, close), style, indent)
  }
  const inner = indent + style.unit
  const lines = items.map(({ head = '', value }) => ({ head, text: printLayout(around(head, value), style, inner) }))
  const written = layout.aligns ? aligned(lines) : lines.map(({ text }) => text)
  return `${open}\n${written.map((text) => `${inner}${text},\n`).join('')}${indent}${close}`
}

/** A value of several lines ends a column. */
const aligned = (lines: readonly { readonly head: string; readonly text: string }[]): string[] => {
  const isShort = (at: number): boolean => lines[at] !== undefined && !lines[at].text.includes('\n')
  return lines.map(({ head, text }, at) => {
    if (!isShort(at)) return text
    let [from, to] = [at, at]
    while (isShort(from - 1)) from--
    while (isShort(to + 1)) to++
    const width = Math.max(...lines.slice(from, to + 1).map((each) => each.head.length))
    return head.padEnd(width) + text.slice(head.length)
  })
}

const fits = (line: string, { width, unit }: Style, indent: string): boolean =>
  !line.includes('\n') && line.length + indent.length * (unit === '\t' ? 4 : 1) <= width

const itemLine = ({ head = '', value }: Item): string => head + onOneLine(value)

const onOneLine = (layout: Layout): string => {
  if (typeof layout === 'string') return layout
  const { open, items, close, isPadded = false } = layout
  const pad = isPadded && items.length > 0 ? ' ' : ''
  return open + pad + items.map(itemLine).join(', ') + pad + close
}
