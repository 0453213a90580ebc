import { toast } from './toast.tsx'

/** So long a control that came under a resting pointer cannot be pressed there. */
export const newControlMs = 1_500
const lookEveryMs = 100
/** A pointer that moves less still rests. */
const restPx = 8
const controlsOf = 'button, summary, select, input, [role^=menuitem], [role=option], [role=switch]'
/** Closing a message or copying a text twice harms nobody, and a switch says its state. */
const harmless = '[data-harmless], [aria-expanded], [aria-pressed], input:not([type=checkbox], [type=radio])'

/** Where the pointer rests, and what is there. `since`: when the control came there, or -Infinity if the pointer came to it. */
type Place = { x: number; y: number; control: Element | null; label: string; since: number }

/**
 * No control under the pointer changes its meaning: a press on a control that came to the place of the pointer, and not the
 * pointer to it, has no effect until the pointer moves or the person had time to see the control. The second click of a
 * double click, and a click that follows an update of the page, then decide nothing that nobody has read.
 */
export const guardPresses = (now: () => number = () => performance.now()): (() => void) => {
  let place: Place | null = null
  let pointer: { x: number; y: number } | null = null
  const isAt = ({ x, y }: { x: number; y: number }, event: MouseEvent) =>
    Math.hypot(event.clientX - x, event.clientY - y) < restPx
  const look = () => {
    if (pointer === null || document.hidden) return
    const control = document.elementFromPoint(pointer.x, pointer.y)?.closest(controlsOf) ?? null
    const label = labelOf(control)
    if (place?.control === control && place.label === label) return
    place = { ...pointer, control, label, since: place === null ? Number.NEGATIVE_INFINITY : now() }
  }
  const leave = () => {
    place = null
    pointer = null
  }
  /** A finger leaves after each touch, and the next one may come to the same place. */
  const onLeave = ({ pointerType }: PointerEvent) => {
    if (pointerType === 'mouse') leave()
  }
  const onMove = (event: PointerEvent) => {
    if (pointer !== null && isAt(pointer, event)) return
    place = null
    pointer = { x: event.clientX, y: event.clientY }
  }
  const onClick = (event: MouseEvent) => {
    // A press by key. The focus stays where the person put it.
    if (event.detail === 0) return
    if (pointer === null || !isAt(pointer, event)) {
      place = null
      pointer = { x: event.clientX, y: event.clientY }
    }
    look()
    const control = place?.control
    if (!place || !control || now() - place.since >= newControlMs) return
    if (control.matches(harmless) || control.getAttribute('aria-disabled') === 'true') return
    event.preventDefault()
    event.stopPropagation()
    toast('Nothing was pressed', 'Another button had just come to this place. Read it, then press again.')
  }
  /** What a person types may move controls. A choice by pointer may too, and the pointer is still there. */
  const onInput = ({ target }: Event) => {
    if (!(target as Element).matches('select, [type=checkbox], [type=radio]')) leave()
  }
  /** A held key presses once. */
  const onKeyDown = (event: KeyboardEvent) => {
    leave()
    const isPress = event.key === 'Enter' || event.key === ' '
    if (event.repeat && isPress && (event.target as Element).matches?.('button, summary')) event.preventDefault()
  }
  const listeners = {
    pointermove: onMove,
    wheel: leave,
    touchmove: leave,
    resize: leave,
    input: onInput,
    click: onClick,
    keydown: onKeyDown,
  }
  for (const [name, listener] of Object.entries(listeners)) {
    addEventListener(name, listener as EventListener, {
      capture: true,
      passive: name !== 'click' && name !== 'keydown',
    })
  }
  document.documentElement.addEventListener('pointerleave', onLeave)
  const timer = setInterval(look, lookEveryMs)
  return () => {
    clearInterval(timer)
    document.documentElement.removeEventListener('pointerleave', onLeave)
    for (const [name, listener] of Object.entries(listeners))
      removeEventListener(name, listener as EventListener, { capture: true })
  }
}

const labelOf = (control: Element | null): string =>
  control === null ? '' : (control.getAttribute('aria-label') ?? control.textContent ?? '')
