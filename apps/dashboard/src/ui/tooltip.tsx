import { cloneElement, type ReactElement, useEffect } from 'react'
import { beside } from './beside.ts'

const showMs = 300
/** Long enough to move the pointer from the element into its tooltip. */
const hideMs = 120
const look =
  'fixed inset-auto max-w-80 whitespace-pre-line break-words rounded-md border border-line bg-raised px-2 py-1 text-ink text-xs shadow-lg'

/** A short text beside an element while it is hovered or focused. `<Tooltips>` shows it. */
export const Tooltip = ({ text, children }: { text: string; children: ReactElement<Record<string, unknown>> }) =>
  cloneElement(children, { 'data-tip': text })

/** One box for all tooltips of the application, so that an element with a tooltip costs only an attribute. */
export const Tooltips = () => {
  useEffect(showTooltips, [])
  return null
}

const showTooltips = (): (() => void) => {
  const box = document.createElement('div')
  box.popover = 'manual'
  box.role = 'tooltip'
  box.className = look
  document.body.append(box)
  let owner: HTMLElement | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const hide = () => {
    clearTimeout(timer)
    owner = undefined
    box.hidePopover()
  }
  const show = (element: HTMLElement) => {
    clearTimeout(timer)
    if (!element.isConnected) return
    box.hidePopover() // It is opened again, so that it lies above a dialog that came meanwhile.
    owner = element
    box.textContent = element.dataset.tip ?? ''
    box.showPopover()
    beside(element, box, { side: 'above', align: 'centre' })
  }
  const ownerOf = ({ target }: Event) =>
    target instanceof Element ? (target.closest<HTMLElement>('[data-tip]') ?? undefined) : undefined
  const isInBox = ({ target }: Event) => target instanceof Node && box.contains(target)

  const listeners = {
    pointerover: (event: PointerEvent) => {
      if (event.pointerType === 'touch') return
      const element = ownerOf(event)
      clearTimeout(timer)
      if (element === owner || isInBox(event)) return
      if (element) timer = setTimeout(() => show(element), owner ? 0 : showMs)
      else timer = setTimeout(hide, hideMs)
    },
    focusin: (event: FocusEvent) => {
      const element = ownerOf(event)
      if (element?.matches(':focus-visible')) show(element)
    },
    focusout: hide,
    pointerdown: (event: PointerEvent) => !isInBox(event) && hide(),
    keydown: (event: KeyboardEvent) => event.key === 'Escape' && hide(),
    scroll: (event: Event) => !isInBox(event) && hide(),
  }
  const names = Object.keys(listeners) as (keyof typeof listeners)[]
  for (const name of names) document.addEventListener(name, listeners[name] as EventListener, true)
  return () => {
    clearTimeout(timer)
    for (const name of names) document.removeEventListener(name, listeners[name] as EventListener, true)
    box.remove()
  }
}
