import { useSyncExternalStore } from 'react'

let open: readonly HTMLElement[] = []
const listeners = new Set<() => void>()

const change = (next: readonly HTMLElement[]): void => {
  open = next
  for (const listener of listeners) listener()
}

/** Answers how to forget it again. */
export const noteModal = (element: HTMLElement): (() => void) => {
  change([...open, element])
  return () => change(open.filter((each) => each !== element))
}

/** The modal dialog on top, outside of which nothing can be read or pressed. */
export const useTopModal = (): HTMLElement | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => open.at(-1),
  )
