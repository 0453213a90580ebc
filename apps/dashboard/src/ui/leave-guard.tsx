import { useBlocker } from '@tanstack/react-router'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** Asks before a page with unsaved changes is left. Moves within the page are free. */
export const LeaveGuard = ({ isDirty }: { isDirty: boolean }) => {
  const { proceed, reset, status } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  return (
    <Dialog
      isOpen={status === 'blocked'}
      onClose={() => reset?.()}
      title="Leave without saving?"
      description="Your changes on this page are lost."
    >
      <div className="flex justify-end gap-2">
        <Button onClick={() => reset?.()}>Stay</Button>
        <Button kind="danger" onClick={() => proceed?.()}>
          Leave
        </Button>
      </div>
    </Dialog>
  )
}
