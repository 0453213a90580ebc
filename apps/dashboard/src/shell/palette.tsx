import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { agentNamesQuery } from '../api/agents.ts'
import { pathOfId } from './id-paths.ts'
import { places } from './places.ts'

type Command = { value: string; go(): void }

/** Places, agents by name, and any pasted id. */
export const Palette = ({ onClose }: { onClose(): void }) => {
  const navigate = useNavigate()
  const router = useRouter()
  const [text, setText] = useState('')
  const { data: agents = [] } = useQuery(agentNamesQuery)
  const idPath = pathOfId(text)
  const commands: Command[] = [
    ...(idPath === null ? [] : [{ value: text, go: () => router.history.push(`/dashboard${idPath}`) }]),
    ...places.flatMap(({ places: group }) =>
      group.map(({ name, to }) => ({ value: `Go to ${name}`, go: () => void navigate({ to }) })),
    ),
    ...agents.map(({ id, name }) => ({
      value: `Agent ${name}`,
      go: () => void navigate({ to: '/agents/$agentId', params: { agentId: id } }),
    })),
  ]
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[oklch(0.2_0.02_264/0.45)]" />
        <Dialog.Popup className="fixed inset-x-0 top-[15vh] z-50 mx-auto max-w-[34rem] overflow-hidden rounded-xl border border-line bg-raised shadow-2xl">
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <Autocomplete.Root
            open
            inline
            items={commands}
            value={text}
            onValueChange={setText}
            autoHighlight="always"
            itemToStringValue={(item) => item.value}
          >
            <Autocomplete.Input
              aria-label="A place, an agent, or the id of anything"
              placeholder="A place, an agent, or the id of anything"
              className="h-11 w-full border-line border-b bg-transparent px-4 text-lg outline-none"
            />
            <Autocomplete.Empty className="px-4 py-3 text-ink-3 empty:hidden">Nothing found</Autocomplete.Empty>
            <Autocomplete.List className="max-h-80 overflow-auto p-1.5">
              {(item: Command) => (
                <Autocomplete.Item
                  key={item.value}
                  value={item}
                  onClick={() => {
                    onClose()
                    item.go()
                  }}
                  className="flex h-8 cursor-default items-center rounded-md px-3 data-highlighted:bg-accent-soft data-highlighted:text-accent"
                >
                  {item.value}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
