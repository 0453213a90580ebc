import { Menu as Base } from '@base-ui/react/menu'
import { Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { type ButtonKind, buttonLook } from './button.tsx'

export type MenuItem = {
  label: string
  onSelect(): void
  isDanger?: boolean
  /** Why the item cannot be used. */
  reason?: string | undefined
}

/** Further actions behind one button. */
export const Menu = ({
  label,
  items,
  kind = 'plain',
  children,
}: {
  label: string
  items: readonly MenuItem[]
  kind?: ButtonKind
  children?: ReactNode
}) => (
  <Base.Root>
    <Base.Trigger className={`${buttonLook(kind, kind === 'quiet')} relative z-10 ${children ? '' : '!px-0 w-8'}`}>
      <span className="sr-only">{label}</span>
      <span aria-hidden className="contents">
        {children ?? <Ellipsis size={16} />}
      </span>
    </Base.Trigger>
    <Base.Portal>
      <Base.Positioner sideOffset={4} align="end" className="z-50">
        <Base.Popup className="min-w-44 rounded-lg border border-line bg-raised p-1 shadow-lg outline-none">
          {items.map(({ label: text, onSelect, isDanger, reason }) => (
            <Base.Item
              key={text}
              disabled={reason !== undefined}
              onClick={onSelect}
              className={`flex min-h-7 cursor-default flex-col justify-center rounded-md px-2 py-1 outline-none data-highlighted:bg-sunken data-disabled:opacity-60 ${isDanger ? 'text-bad' : ''}`}
            >
              {text}
              {reason !== undefined && <span className="max-w-56 text-ink-3 text-xs">{reason}</span>}
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
