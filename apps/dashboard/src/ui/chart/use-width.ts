import { type RefObject, useEffect, useRef, useState } from 'react'

/** The width of an element in pixels, 0 until it is drawn. */
export const useWidth = (): readonly [RefObject<HTMLElement | null>, number] => {
  const place = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!place.current) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return [place, width]
}
