import { useEffect, useState } from 'react'
import { usePreferences } from '../../ui/preferences.ts'

const minWindow = 0.001

export type Zoom = {
  from: number
  to: number
  isWhole: boolean
  /** A place of the whole as a place of what is shown. */
  place(whole: number): number
  into(from: number, to: number): void
  /** Half of what is shown, around a place of the whole. */
  nearer(centre?: number): void
  reset(): void
}

/** Which part of the time is shown, from 0 to 1. `0` shows all. */
export const useZoom = (): Zoom => {
  const [{ from, to }, setPart] = useState({ from: 0, to: 1 })
  const { shortcuts } = usePreferences()
  const reset = () => setPart({ from: 0, to: 1 })
  useEffect(() => {
    if (shortcuts === 'off') return
    const onKey = (event: KeyboardEvent) => {
      const [target] = event.composedPath()
      const isTyping =
        target instanceof HTMLElement &&
        target.matches('input:not([type=checkbox]), textarea, select, [contenteditable=true]')
      if (event.key === '0' && !isTyping && !event.metaKey && !event.ctrlKey && !event.altKey)
        setPart({ from: 0, to: 1 })
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [shortcuts])
  const size = to - from
  return {
    from,
    to,
    isWhole: from === 0 && to === 1,
    place: (whole) => (whole - from) / size,
    into: (start, end) => {
      if ((end - start) * size >= minWindow) setPart({ from: from + start * size, to: from + end * size })
    },
    nearer: (centre = from + size / 2) => {
      const half = Math.max(minWindow, size / 4)
      const start = Math.max(0, Math.min(1 - 2 * half, centre - half))
      setPart({ from: start, to: start + 2 * half })
    },
    reset,
  }
}
