import { type RefObject, useLayoutEffect, useState } from 'react'

const overscan = 10

export type VisibleRows = {
  /** The first row that is drawn, and the one after the last. */
  first: number
  end: number
  /** The height of what is not drawn, in pixels. */
  before: number
  after: number
  /** The scrolling element calls it. */
  onScroll(scrollTop: number): void
  /** Scrolls as little as needed until the row is seen whole. */
  scrollTo(index: number): void
}

/** Which rows of a long list are drawn. All rows are equally high. */
export const useVisibleRows = (
  scroller: RefObject<HTMLElement | null>,
  { count, rowPx, headPx = 0 }: { count: number; rowPx: number /** A head that stays on top. */; headPx?: number },
): VisibleRows => {
  const [top, setTop] = useState(0)
  const [heightPx, setHeightPx] = useState(0)
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    // Not more than the window shows, also if the element grows with its rows.
    const measure = () => setHeightPx(Math.min(element.clientHeight, innerHeight))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller])
  const fits = Math.ceil(heightPx / rowPx)
  const topRow = Math.max(0, Math.min(top, count - fits))
  const first = Math.max(0, topRow - overscan)
  const end = Math.min(count, topRow + fits + 1 + overscan)
  return {
    first,
    end,
    before: first * rowPx,
    after: (count - end) * rowPx,
    onScroll: (scrollTop) => setTop(Math.floor(scrollTop / rowPx)),
    scrollTo: (index) => {
      const element = scroller.current
      if (!element) return
      const at = index * rowPx
      const least = at + rowPx + headPx - element.clientHeight
      if (at < element.scrollTop) element.scrollTop = at
      else if (least > element.scrollTop) element.scrollTop = least
    },
  }
}
