import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Problem } from './problem.tsx'

export type DialogProps = {
  isOpen: boolean
  onClose(): void
  title: string
  description?: ReactNode
  children?: ReactNode
  width?: 'narrow' | 'wide'
  /** Neither Escape nor a click outside closes it: only a button inside it does. */
  isHeld?: boolean
}

export const Dialog = ({ isOpen, onClose, title, description, children, width = 'narrow', isHeld }: DialogProps) => (
  <Base.Root
    open={isOpen}
    onOpenChange={(open) => {
      if (!open && !isHeld) onClose()
    }}
  >
    <Base.Portal>
      <Base.Backdrop className="fixed inset-0 z-40 bg-[oklch(0.2_0.02_264/0.45)]" />
      <Base.Popup
        className={`fixed inset-x-0 top-[10vh] z-40 mx-auto max-h-[80vh] w-[calc(100vw-2rem)] overflow-auto rounded-xl border border-line bg-raised p-4 shadow-2xl ${width === 'wide' ? 'max-w-3xl' : 'max-w-lg'}`}
      >
        <div className="mb-2 flex items-start gap-2">
          <Base.Title className="flex-1 font-semibold text-lg">{title}</Base.Title>
          {!isHeld && (
            <Base.Close
              aria-label="Close"
              className="grid size-7 place-items-center rounded-md text-ink-3 hover:text-ink"
            >
              <X aria-hidden size={16} />
            </Base.Close>
          )}
        </div>
        {description !== undefined && <Base.Description className="mb-3 text-ink-2">{description}</Base.Description>}
        {children}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

/** Asks before an action that cannot be undone. `phrase`: the text that must be typed first. */
export const ConfirmDialog = (props: {
  isOpen: boolean
  onClose(): void
  title: string
  description: ReactNode
  /** The verb of the action, such as `Revoke key`. */
  verb: string
  phrase?: string
  children?: ReactNode
  onConfirm(): Promise<unknown>
}) => {
  const [typed, setTyped] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const isReady = props.phrase === undefined || typed.trim() === props.phrase
  const close = () => {
    setTyped('')
    setError(null)
    props.onClose()
  }
  const confirm = async () => {
    setIsBusy(true)
    setError(null)
    try {
      await props.onConfirm()
      close()
    } catch (caught) {
      setError(caught)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Dialog isOpen={props.isOpen} onClose={close} title={props.title} description={props.description}>
      {props.children}
      {props.phrase !== undefined && (
        <label className="mb-3 block">
          <span className="mb-1 block">
            Type <code className="font-mono">{props.phrase}</code> to confirm
          </span>
          <input
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            className="h-8 w-full rounded-md border border-line-strong bg-surface px-2.5 font-mono"
          />
        </label>
      )}
      {error !== null && <Problem title={`${props.verb}: failed`} error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={close}>Keep</Button>
        <Button
          kind="danger"
          isBusy={isBusy}
          reason={isReady ? undefined : `Type ${props.phrase} first.`}
          onClick={() => void confirm()}
        >
          {props.verb}
        </Button>
      </div>
    </Dialog>
  )
}
