import { Toast } from '@base-ui/react/toast'
import { CircleCheck, CircleX, X } from 'lucide-react'
import { problemOf } from '../api/problem.ts'
import { CopyButton } from './copy-button.tsx'

const manager = Toast.createToastManager()

/** Says that an action succeeded. */
export const toast = (title: string, description?: string): void => {
  manager.add({ title, type: 'good', priority: 'low', ...(description !== undefined && { description }) })
}

/** Says that an action failed, with code and request id to copy. */
export const toastProblem = (title: string, error: unknown): void => {
  const { message, code, requestId } = problemOf(error)
  manager.add({
    title,
    description: message,
    type: 'bad',
    priority: 'high',
    timeout: 12_000,
    data: { reference: [code, requestId].filter((part) => part !== null).join(' ') },
  })
}

export const Toasts = () => (
  <Toast.Provider toastManager={manager} limit={4}>
    <Toast.Portal>
      <Toast.Viewport className="fixed end-4 bottom-4 z-50 flex w-[calc(100vw-2rem)] flex-col gap-2 sm:w-96">
        <ToastList />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)

const ToastList = () => {
  const { toasts } = Toast.useToastManager<{ reference?: string }>()
  return toasts.map((each) => (
    <Toast.Root
      key={each.id}
      toast={each}
      className="rounded-lg border border-line bg-raised p-3 shadow-lg data-ending-style:opacity-0"
    >
      <Toast.Content className="flex items-start gap-2">
        {each.type === 'bad' ? (
          <CircleX aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
        ) : (
          <CircleCheck aria-hidden size={16} className="mt-0.5 shrink-0 text-good" />
        )}
        <div className="min-w-0 flex-1">
          <Toast.Title className="font-medium" />
          <Toast.Description className="break-words text-ink-2" />
          {each.data?.reference && (
            <p className="mt-1 flex items-center gap-1 font-mono text-ink-3 text-xs">
              <span className="truncate">{each.data.reference}</span>
              <CopyButton text={each.data.reference} label="Copy error code and request id" />
            </p>
          )}
        </div>
        <Toast.Close aria-label="Close" className="grid size-6 place-items-center rounded text-ink-3 hover:text-ink">
          <X aria-hidden size={14} />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
