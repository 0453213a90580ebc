import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'

export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Base.Provider delay={300}>{children}</Base.Provider>
)

/** A short text beside an element while it is hovered or focused. `children` is one element that takes a ref. */
export const Tooltip = ({ text, children }: { text: ReactNode; children: ReactElement<Record<string, unknown>> }) => (
  <Base.Root>
    <Base.Trigger render={children} />
    <Base.Portal>
      <Base.Positioner sideOffset={6} className="z-50">
        <Base.Popup className="max-w-80 whitespace-pre-line rounded-md border border-line bg-raised px-2 py-1 text-ink text-xs shadow-lg">
          {text}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
