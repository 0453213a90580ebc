import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { usePreferences } from '../ui/preferences.ts'
import { places } from './places.ts'

const letters = places.flatMap(({ places: group }) =>
  group.flatMap(({ letter, name, to }) => (letter ? [{ letter, name, to }] : [])),
)
const pairMs = 1_500

/** The innermost element counts: an editor may live in a shadow root. */
const isTyping = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role=textbox]'))

/** The keys of the application. No key destroys anything, and single letters can be switched off in the profile. */
export const useShortcuts = ({ onPalette }: { onPalette(): void }): ReactNode => {
  const navigate = useNavigate()
  const { shortcuts } = usePreferences()
  const [isListOpen, setIsListOpen] = useState(false)
  useEffect(() => {
    let goUntilMs = 0
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault()
        onPalette()
        return
      }
      if (shortcuts === 'off' || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.composedPath()[0]))
        return
      const place = Date.now() < goUntilMs ? letters.find(({ letter }) => letter === event.key) : undefined
      goUntilMs = event.key === 'g' && !place ? Date.now() + pairMs : 0
      if (place) void navigate({ to: place.to })
      else if (event.key === '?') setIsListOpen(true)
      else if (event.key === '/') {
        const filter = document.querySelector<HTMLElement>('#main search :is(input, select, button)')
        if (filter) event.preventDefault()
        filter?.focus()
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, onPalette, shortcuts])
  return (
    <Dialog isOpen={isListOpen} onClose={() => setIsListOpen(false)} title="Keys">
      <dl className="grid grid-cols-[8rem_1fr] gap-y-1.5">
        {[
          ['⌘ K, Ctrl K', 'Search places, agents and ids'],
          ...letters.map(({ letter, name }) => [`g ${letter}`, `Go to ${name}`] as const),
          ['/', 'Go to the filters'],
          ['j k ↑ ↓', 'Next and previous row'],
          ['Enter', 'Open the row'],
          ['[ ]', 'Previous and next run of the list'],
          ['?', 'This list'],
        ].map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded border border-line bg-sunken px-1 font-mono text-xs">{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
