import { type ComponentProps, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { noteModal } from './open-modals.ts'

/**
 * The browser's own modal dialog: the rest of the page cannot be reached, and the focus returns to where it was. It is
 * open as long as it is drawn.
 */
export const Modal = ({
  onClose,
  isHeld = false,
  className = '',
  children,
  ...rest
}: Omit<ComponentProps<'dialog'>, 'onClose'> & {
  onClose(): void
  /** Neither Escape nor a click outside closes it. */
  isHeld?: boolean
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const isPressedOutside = useRef(false)
  useLayoutEffect(() => {
    const element = dialog.current
    if (!element) return
    element.showModal()
    const forget = noteModal(element)
    return () => {
      forget()
      element.close()
    }
  }, [])
  const dismiss = () => {
    if (!isHeld) onClose()
  }
  return createPortal(
    <dialog
      {...rest}
      ref={dialog}
      onCancel={(event) => {
        event.preventDefault()
        if (event.target === event.currentTarget) dismiss()
      }}
      // A browser closes a dialog at the second Escape although `cancel` was prevented.
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        dismiss()
      }}
      // A selection of text that ends outside is not a click there.
      onMouseDown={({ target, currentTarget }) => {
        isPressedOutside.current = target === currentTarget
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget && isPressedOutside.current) dismiss()
      }}
      className={`fixed inset-x-0 bottom-auto mx-auto rounded-xl border border-line bg-raised text-ink shadow-2xl outline-none backdrop:bg-[oklch(0.2_0.02_264/0.45)] ${className}`}
    >
      {children}
    </dialog>,
    document.body,
  )
}
