import { X } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { Button } from './button.tsx'
import { Modal } from './modal.tsx'
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

export const Dialog = ({ isOpen, ...rest }: DialogProps) => (isOpen ? <OpenDialog {...rest} /> : null)

const OpenDialog = ({
  onClose,
  title,
  description,
  children,
  width = 'narrow',
  isHeld = false,
}: Omit<DialogProps, 'isOpen'>) => {
  const id = useId()
  return (
    <Modal
      onClose={onClose}
      isHeld={isHeld}
      aria-labelledby={`${id}-title`}
      aria-describedby={description === undefined ? undefined : `${id}-description`}
      className={`top-[10vh] max-h-[80vh] w-[calc(100vw-2rem)] overflow-auto ${width === 'wide' ? 'max-w-3xl' : 'max-w-lg'}`}
    >
      <div className="p-4">
        <div className="mb-2 flex items-start gap-2">
          <h2 id={`${id}-title`} className="flex-1 font-semibold text-lg">
            {title}
          </h2>
          {!isHeld && (
            <button
              type="button"
              aria-label="Close"
              onClick={onClose}
              className="grid size-7 place-items-center rounded-md text-ink-3 hover:text-ink"
            >
              <X aria-hidden size={16} />
            </button>
          )}
        </div>
        {description !== undefined && (
          <div id={`${id}-description`} className="mb-3 text-ink-2">
            {description}
          </div>
        )}
        {children}
      </div>
    </Modal>
  )
}

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
