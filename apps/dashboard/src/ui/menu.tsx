import { Check, Ellipsis } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { beside } from './beside.ts'
import { type ButtonKind, buttonLook } from './button.tsx'

export type MenuItem = {
  label: string
  onSelect(): void
  isDanger?: boolean
  /** Why the item cannot be used. */
  reason?: string | undefined
  /** The item is a switch: the menu stays open when it is chosen. */
  isChecked?: boolean
}

type MenuProps = {
  label: string
  items: readonly MenuItem[]
  kind?: ButtonKind
  isSmall?: boolean
  children?: ReactNode
}

/** Further actions behind one button. */
export const Menu = ({ label, items, kind = 'plain', isSmall = kind === 'quiet', children }: MenuProps) => {
  const trigger = useRef<HTMLButtonElement>(null)
  const id = useId()
  /** The item that has the focus when the menu opens. */
  const [opened, setOpened] = useState<'first' | 'last' | null>(null)
  const close = () => setOpened(null)
  return (
    <>
      <button
        ref={trigger}
        type="button"
        id={`${id}-button`}
        aria-haspopup="menu"
        aria-expanded={opened !== null}
        aria-controls={opened === null ? undefined : id}
        onClick={() => setOpened((was) => (was === null ? 'first' : null))}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          event.stopPropagation()
          setOpened(event.key === 'ArrowDown' ? 'first' : 'last')
        }}
        className={`${buttonLook(kind, isSmall)} relative z-10 ${children ? '' : '!px-0 w-8'}`}
      >
        <span className="sr-only">{label}</span>
        <span aria-hidden className="contents">
          {children ?? <Ellipsis size={16} />}
        </span>
      </button>
      {opened !== null && <MenuBox id={id} trigger={trigger.current} items={items} focus={opened} onClose={close} />}
    </>
  )
}

const place = { side: 'below', align: 'end' } as const
const itemLook =
  'flex min-h-7 w-full cursor-default items-center gap-2 rounded-md px-2 py-1 text-start -outline-offset-2 focus:bg-sunken aria-disabled:opacity-60'

const MenuBox = (props: {
  id: string
  trigger: HTMLButtonElement | null
  items: readonly MenuItem[]
  focus: 'first' | 'last'
  onClose(): void
}) => {
  const { id, trigger, items, focus, onClose } = props
  const box = useRef<HTMLDivElement>(null)
  const closing = useRef(onClose)
  closing.current = onClose
  useLayoutEffect(() => {
    const menu = box.current
    if (!menu || !trigger) return
    menu.showPopover()
    beside(trigger, menu, place)
    itemsOf(menu)
      .at(focus === 'first' ? 0 : -1)
      ?.focus()
  }, [trigger, focus])
  useEffect(() => {
    const isInside = ({ target }: Event) =>
      target instanceof Node && (box.current?.contains(target) || trigger?.contains(target))
    const leave = (event: Event) => {
      if (!isInside(event)) closing.current()
    }
    const follow = (event: Event) => {
      if (!isInside(event) && box.current && trigger) beside(trigger, box.current, place)
    }
    const listeners = { pointerdown: leave, focusin: leave, scroll: follow, resize: follow }
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener, true)
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener, true)
    }
  }, [trigger])
  const closeAndReturn = () => {
    trigger?.focus()
    onClose()
  }
  const select = ({ reason, isChecked, onSelect }: MenuItem) => {
    if (reason !== undefined) return
    // The focus is back at the button first: a dialog that opens now returns it there.
    if (isChecked === undefined) closeAndReturn()
    onSelect()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Neither the table around it nor the shortcuts of the application take these keys.
    event.stopPropagation()
    if (event.key === 'Tab') return closeAndReturn()
    if (event.key === 'Escape') {
      event.preventDefault()
      return closeAndReturn()
    }
    const all = itemsOf(event.currentTarget as HTMLElement)
    const next = nextItem(all, all.indexOf(document.activeElement as HTMLElement), event)
    if (!next) return
    event.preventDefault()
    next.focus()
  }
  return (
    <div
      ref={box}
      id={id}
      role="menu"
      tabIndex={-1}
      popover="manual"
      aria-labelledby={`${id}-button`}
      onKeyDown={onKeyDown}
      className="fixed inset-auto max-h-[80vh] min-w-44 overflow-auto whitespace-normal rounded-lg border border-line bg-raised p-1 text-start font-sans text-ink text-sm shadow-lg outline-none"
    >
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          {...(item.isChecked === undefined
            ? { role: 'menuitem' }
            : { role: 'menuitemcheckbox', 'aria-checked': item.isChecked })}
          aria-disabled={item.reason === undefined ? undefined : true}
          tabIndex={-1}
          onClick={() => select(item)}
          onPointerMove={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
          className={`${itemLook} ${item.isDanger ? 'text-bad' : ''}`}
        >
          {item.isChecked !== undefined && (
            <span className="w-4 shrink-0">{item.isChecked && <Check aria-hidden size={14} />}</span>
          )}
          <span className="flex flex-col">
            {item.label}
            {item.reason !== undefined && <span className="max-w-56 text-ink-3 text-xs">{item.reason}</span>}
          </span>
        </button>
      ))}
    </div>
  )
}

const itemsOf = (menu: HTMLElement): HTMLElement[] => [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')]

/** Arrows go round, Home and End go to the ends, a letter to the next item that begins with it. */
const nextItem = (
  all: readonly HTMLElement[],
  at: number,
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
): HTMLElement | undefined => {
  if (ctrlKey || metaKey || altKey) return undefined
  if (key === 'ArrowDown') return all[(at + 1) % all.length]
  if (key === 'ArrowUp') return all.at(at <= 0 ? -1 : at - 1)
  if (key === 'Home') return all[0]
  if (key === 'End') return all.at(-1)
  if (key.length !== 1 || key === ' ') return undefined
  const after = [...all.slice(at + 1), ...all.slice(0, at + 1)]
  return after.find(({ textContent }) => textContent?.trim().toLowerCase().startsWith(key.toLowerCase()))
}
