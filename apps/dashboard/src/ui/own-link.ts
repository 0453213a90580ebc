import type { MouseEvent } from 'react'

const base = '/dashboard'

/** The address of a path below the base, for a link that is no `Link`, because there are many or because it is drawn. */
export const ownHref = (path: string): string => base + path

/** A click that the page handles. All others do what they do on every link. */
export const isPlainClick = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey
