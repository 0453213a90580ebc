import { CopyButton } from './copy-button.tsx'
import { shortId } from './format.ts'

/** An id, whole or short, with a copy button. */
export const Id = ({ id, isShort }: { id: string; isShort?: boolean }) => (
  <span className="inline-flex min-w-0 items-center gap-0.5 font-mono text-xs">
    <span className={isShort ? 'whitespace-nowrap' : 'break-all'}>{isShort ? shortId(id) : id}</span>
    <CopyButton text={id} label={`Copy ${id}`} />
  </span>
)
