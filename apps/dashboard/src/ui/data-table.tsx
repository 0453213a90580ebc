import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { isPlainClick, ownHref } from './own-link.ts'
import { usePreferences } from './preferences.ts'
import { useVisibleRows } from './use-visible-rows.ts'

export type Column<Row> = {
  id: string
  title: string
  /** A CSS width; columns without one share the rest. */
  width?: string
  align?: 'end'
  cell(row: Row): ReactNode
}

export type DataTableProps<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** An address below the base, such as `/runs/run_…`. Without it, or with null, a row is no link. */
  hrefOf?(row: Row): string | null
  onNearEnd?(): void
  onTop?(isAtTop: boolean): void
  /** The table is as high as its rows and does not scroll. For short lists inside a page. */
  isInline?: boolean
  /** The row whose content is open beside the table. */
  openId?: string | undefined
  /** A box before each row. */
  selection?: Selection<Row>
}

export type Selection<Row> = {
  selected: ReadonlySet<string>
  onSelect(selected: ReadonlySet<string>): void
  /** The name of the box of a row. */
  nameOf(row: Row): string
  /** Why a row cannot be selected. */
  reasonOf?(row: Row): string | undefined
}

/** Below this width the table scrolls inside itself; a column without a width gets 9 rem. */
const minWidthOf = (columns: readonly Column<never>[]): string =>
  `calc(${columns.map(({ width }) => (width === undefined || width.endsWith('%') ? '9rem' : width)).join(' + ')})`

const rowPx = { normal: 36, compact: 28 } as const

/**
 * A long list as a real table, of which only the visible rows are drawn. The first cell of a row is a link that covers the
 * row, so that click, middle click and Enter do what they do on every link. Arrow keys, j and k walk from row to row.
 */
export const DataTable = <Row extends { id: string }>(props: DataTableProps<Row>) => {
  const { columns, rows, onNearEnd, onTop, hrefOf } = props
  const { density, hidden } = usePreferences()
  const shown = columns.filter(({ id }, n) => n === 0 || !hidden.split(' ').includes(`${props.label}.${id}`))
  const scroller = useRef<HTMLDivElement>(null)
  const height = rowPx[density]
  const telling = useRef(onTop)
  telling.current = onTop
  // A table that is drawn anew, for example with other filters, begins at its top.
  useEffect(() => telling.current?.(true), [])
  const visible = useVisibleRows(scroller, { count: rows.length, rowPx: height, headPx: 32 })
  const first = props.isInline ? 0 : visible.first
  const end = props.isInline ? rows.length : visible.end
  const last = end - 1
  useEffect(() => {
    if (last >= rows.length - 40) onNearEnd?.()
  }, [last, rows.length, onNearEnd])

  const router = useRouter()
  /** One listener for all rows: a router link for each of them costs more than the rest of the row. */
  const follow = (event: MouseEvent) => {
    const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('a[data-row]')
    if (!link || event.defaultPrevented || !isPlainClick(event)) return
    event.preventDefault()
    router.history.push(link.pathname + link.search)
  }
  /** The row that the keyboard has walked to and that may not be drawn yet. */
  const wanted = useRef<number>(undefined)
  const focusWanted = () => {
    if (wanted.current === undefined) return
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`)
    if (!row) return
    wanted.current = undefined
    row.querySelector('a')?.focus({ preventScroll: true })
  }
  useLayoutEffect(focusWanted)
  const walk = (event: KeyboardEvent) => {
    const step = steps[event.key]
    const from = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
    const isTyping = (event.target as HTMLElement).matches('input, select, textarea')
    if (step === undefined || !from || isTyping || event.metaKey || event.ctrlKey || event.altKey) return
    event.preventDefault()
    const index = Math.max(0, Math.min(rows.length - 1, (wanted.current ?? Number(from.dataset.index)) + step))
    if (!props.isInline) visible.scrollTo(index)
    wanted.current = index
    focusWanted()
  }
  return (
    <div
      ref={scroller}
      onScroll={({ currentTarget }) => {
        visible.onScroll(currentTarget.scrollTop)
        onTop?.(currentTarget.scrollTop < 4)
      }}
      className={props.isInline ? 'overflow-x-auto' : 'min-h-0 flex-1 overflow-auto'}
    >
      <table
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        onKeyDown={walk}
        onClick={follow}
        className="w-full table-fixed border-separate border-spacing-0"
        style={{ minWidth: minWidthOf(shown) }}
      >
        <colgroup>
          {props.selection && <col style={{ width: '2.25rem' }} />}
          {shown.map(({ id, width }) => (
            <col key={id} style={{ width }} />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-20 bg-surface">
          <tr aria-rowindex={1}>
            {props.selection && (
              <th scope="col" className="border-line border-b ps-4">
                <span className="sr-only">Select</span>
              </th>
            )}
            {shown.map(({ id, title, align }) => (
              <th
                key={id}
                scope="col"
                className={`h-8 border-line border-b px-2 font-medium text-ink-3 text-xs first:ps-4 last:pe-4 ${align === 'end' ? 'text-end' : 'text-start'}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={props.isInline ? 0 : visible.before} columns={shown.length + (props.selection ? 1 : 0)} />
          {rows.slice(first, end).map((row, n) => {
            const index = first + n
            const href = hrefOf?.(row) ?? null
            return (
              <tr
                key={row.id}
                data-index={index}
                data-row-id={row.id}
                aria-rowindex={index + 2}
                className="group relative hover:bg-sunken has-[a:focus-visible]:bg-sunken has-[a[aria-current]]:bg-accent-soft"
                style={{ height }}
              >
                {props.selection && <SelectCell row={row} selection={props.selection} />}
                {shown.map(({ id, align, cell }, nth) => (
                  <td
                    key={id}
                    className={`truncate border-line/60 border-b px-2 first:ps-4 last:pe-4 ${align === 'end' ? 'num text-end' : ''}`}
                  >
                    {nth === 0 && href !== null ? (
                      <a
                        data-row
                        href={ownHref(href)}
                        aria-current={row.id === props.openId ? 'true' : undefined}
                        className="after:absolute after:inset-0"
                      >
                        {cell(row)}
                      </a>
                    ) : (
                      cell(row)
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
          <Spacer height={props.isInline ? 0 : visible.after} columns={shown.length + (props.selection ? 1 : 0)} />
        </tbody>
      </table>
    </div>
  )
}

const SelectCell = <Row extends { id: string }>({ row, selection }: { row: Row; selection: Selection<Row> }) => {
  const { selected, onSelect, nameOf, reasonOf } = selection
  const reason = reasonOf?.(row)
  const isOn = selected.has(row.id)
  return (
    <td className="border-line/60 border-b ps-3">
      <label title={reason} className="relative z-10 grid size-6 place-items-center">
        <input
          type="checkbox"
          aria-label={nameOf(row)}
          checked={isOn}
          disabled={reason !== undefined}
          onChange={() => onSelect(new Set(isOn ? [...selected].filter((id) => id !== row.id) : [...selected, row.id]))}
          className="size-4 accent-accent"
        />
      </label>
    </td>
  )
}

const Spacer = ({ height, columns }: { height: number; columns: number }) =>
  height > 0 ? (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height }} />
    </tr>
  ) : null

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 20, PageUp: -20 }
