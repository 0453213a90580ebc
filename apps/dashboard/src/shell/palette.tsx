import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { agentNamesQuery } from '../api/agents.ts'
import { Modal } from '../ui/modal.tsx'
import { pathOfId } from './id-paths.ts'
import { places } from './places.ts'

type Command = { key: string; title: string; go(): void }

const maxShown = 50

/** Places, agents by name, and any pasted id. */
export const Palette = ({ onClose }: { onClose(): void }) => {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const found = useCommands(text)
  const shown = found.slice(0, maxShown)
  const chosen = Math.min(at, shown.length - 1)
  // Nothing is returned: browsers answer with a promise by now, which React would call as the effect's end.
  useEffect(() => void list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' }), [chosen])
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    command.go()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') run(shown[chosen])
    else if (step !== undefined && shown.length > 0) setAt((chosen + step + shown.length) % shown.length)
    else return
    event.preventDefault()
  }
  const label = 'A place, an agent, or the id of anything'
  return (
    <Modal
      onClose={onClose}
      aria-label="Search"
      className="top-[15vh] w-[calc(100vw-2rem)] max-w-[34rem] overflow-hidden"
    >
      <input
        role="combobox"
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-activedescendant={shown.length > 0 ? `${id}-${chosen}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
        className="h-11 w-full border-line border-b bg-transparent px-4 text-lg outline-none"
      />
      <div ref={list} id={id} role="listbox" aria-label="Found" className="max-h-80 overflow-auto p-1.5 empty:hidden">
        {shown.map((command, n) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys belong to the field, which keeps the focus.
          <div
            key={command.key}
            id={`${id}-${n}`}
            role="option"
            tabIndex={-1}
            aria-selected={n === chosen}
            onClick={() => run(command)}
            onPointerMove={() => setAt(n)}
            className="flex h-8 cursor-default items-center truncate rounded-md px-3 aria-selected:bg-accent-soft aria-selected:text-accent"
          >
            {command.title}
          </div>
        ))}
      </div>
      <p role="status" className="px-4 py-3 text-ink-3 empty:hidden">
        {resultText(found.length)}
      </p>
    </Modal>
  )
}

const resultText = (count: number): string => {
  if (count === 0) return 'Nothing found'
  return count > maxShown ? `The first ${maxShown} of ${count.toLocaleString('en')}. Type more to find the rest.` : ''
}

const useCommands = (text: string): readonly Command[] => {
  const navigate = useNavigate()
  const router = useRouter()
  const { data: agents = [] } = useQuery(agentNamesQuery)
  const idPath = pathOfId(text)
  const wanted = text.trim().toLowerCase()
  const commands: Command[] = [
    ...places.flatMap(({ places: group }) =>
      group.map(({ name, to }) => ({ key: to, title: `Go to ${name}`, go: () => void navigate({ to }) })),
    ),
    ...agents.map(({ id, name }) => ({
      key: id,
      title: `Agent ${name}`,
      go: () => void navigate({ to: '/agents/$agentId', params: { agentId: id } }),
    })),
  ].filter(({ title }) => title.toLowerCase().includes(wanted))
  if (idPath === null) return commands
  const go = () => router.history.push(`/dashboard${idPath}`)
  return [{ key: idPath, title: text.trim(), go }, ...commands]
}
