import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'

/** Shows a secret that cannot be shown again. Only «I have stored it» closes the dialog. */
export const SecretOnce = (props: {
  title: string
  description: ReactNode
  /** Null: the dialog is closed. */
  secret: string | null
  onStored(): void
  children?: ReactNode
}) => (
  <Dialog
    isOpen={props.secret !== null}
    onClose={props.onStored}
    title={props.title}
    description={props.description}
    width="wide"
    isHeld
  >
    <div className="mb-3 flex items-center gap-2 rounded-md border border-line bg-sunken px-2.5 py-2">
      <code data-secret className="min-w-0 flex-1 break-all font-mono text-xs">
        {props.secret}
      </code>
      <CopyButton text={props.secret ?? ''} label="Copy the secret">
        Copy
      </CopyButton>
    </div>
    {props.children}
    <div className="mt-3 flex justify-end">
      <Button kind="primary" onClick={props.onStored}>
        I have stored it
      </Button>
    </div>
  </Dialog>
)
