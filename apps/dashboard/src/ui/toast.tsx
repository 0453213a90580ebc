import { CircleCheck, CircleX, X } from 'lucide-react'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { problemOf } from '../api/problem.ts'
import { CopyButton } from './copy-button.tsx'
import { useTopModal } from './open-modals.ts'

type Toast = { id: number; title: string; description: string | undefined; isBad: boolean; reference: string }

const maxToasts = 4
const shownMs = { good: 5_000, bad: 12_000 } as const
let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

const change = (next: readonly Toast[]): void => {
  toasts = next.slice(-maxToasts)
  for (const listener of listeners) listener()
}
const add = (toast: Omit<Toast, 'id'>): void => change([...toasts, { ...toast, id: ++lastId }])
const remove = (id: number): void => change(toasts.filter((toast) => toast.id !== id))

/** Says that an action succeeded. */
export const toast = (title: string, description?: string): void =>
  add({ title, description, isBad: false, reference: '' })

/** Says that an action failed, with code and request id to copy. */
export const toastProblem = (title: string, error: unknown): void => {
  const { message, code, requestId } = problemOf(error)
  const reference = [code, requestId].filter((part) => part !== null).join(' ')
  add({ title, description: message, isBad: true, reference })
}

/** In the dialog on top, if one is open: nothing outside of it is read out or can be pressed. F6 leads here. */
export const Toasts = () => {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
  const modal = useTopModal()
  const region = useRef<HTMLElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'F6' || toasts.length === 0) return
      event.preventDefault()
      region.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return createPortal(
    <section
      ref={region}
      tabIndex={-1}
      aria-label="Notifications"
      aria-live="polite"
      className="fixed end-4 bottom-4 z-50 flex w-[calc(100vw-2rem)] flex-col gap-2 sm:w-96"
    >
      {shown.map((each) => (
        <ToastBox key={each.id} toast={each} />
      ))}
    </section>,
    modal ?? document.body,
  )
}

/** It stays while it is hovered or has the focus. */
const ToastBox = ({ toast: { id, title, description, isBad, reference } }: { toast: Toast }) => {
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => remove(id), isBad ? shownMs.bad : shownMs.good)
    return () => clearTimeout(timer)
  }, [id, isBad, isHeld])
  const Icon = isBad ? CircleX : CircleCheck
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering it only keeps it on the screen.
    <div
      role={isBad ? 'alert' : 'status'}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
      className="flex items-start gap-2 rounded-lg border border-line bg-raised p-3 shadow-lg"
    >
      <Icon aria-hidden size={16} className={`mt-0.5 shrink-0 ${isBad ? 'text-bad' : 'text-good'}`} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {description !== undefined && <p className="break-words text-ink-2">{description}</p>}
        {reference !== '' && (
          <p className="mt-1 flex items-center gap-1 font-mono text-ink-3 text-xs">
            <span className="truncate">{reference}</span>
            <CopyButton text={reference} label="Copy error code and request id" />
          </p>
        )}
      </div>
      <button
        type="button"
        aria-label="Close"
        data-harmless
        onClick={() => remove(id)}
        className="grid size-6 place-items-center rounded text-ink-3 hover:text-ink"
      >
        <X aria-hidden size={14} />
      </button>
    </div>
  )
}
