const marginPx = 8

/** Places a box of the top layer beside an element: on the wanted side if there is room, always inside the window. */
export const beside = (
  element: HTMLElement,
  box: HTMLElement,
  { side, align }: { side: 'above' | 'below'; align: 'centre' | 'end' },
): void => {
  const at = element.getBoundingClientRect()
  const { width, height } = box.getBoundingClientRect()
  const gap = side === 'above' ? 6 : 4
  const [above, below] = [at.top - gap - height, at.bottom + gap]
  const hasRoomAbove = above >= marginPx
  const hasRoomBelow = below + height <= innerHeight - marginPx
  const isAbove = side === 'above' ? hasRoomAbove || !hasRoomBelow : hasRoomAbove && !hasRoomBelow
  // An element at the left edge has its box to the right.
  const isLeft = getComputedStyle(element).direction === 'rtl' || at.right - width < marginPx
  const end = isLeft ? at.left : at.right - width
  const left = align === 'centre' ? at.left + (at.width - width) / 2 : end
  box.style.left = `${clamp(left, innerWidth - width)}px`
  box.style.top = `${clamp(isAbove ? above : below, innerHeight - height)}px`
}

const clamp = (value: number, most: number): number => Math.max(marginPx, Math.min(value, most - marginPx))
