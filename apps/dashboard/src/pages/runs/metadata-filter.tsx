import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FilterChip } from '../../ui/filter-bar.tsx'
import { parseMetadata, printMetadata } from './run-filters.ts'

const inputLook = 'h-7 w-28 rounded-md border border-line-strong bg-surface px-2 text-xs'

/** Pairs that the metadata of a run must have. */
export const MetadataFilter = ({
  value,
  onChange,
}: {
  value: string | undefined
  onChange(value: string | undefined): void
}) => {
  const pairs = parseMetadata(value)
  const [key, setKey] = useState('')
  const [text, setText] = useState('')
  const add = () => {
    if (key === '') return
    onChange(printMetadata({ ...pairs, [key]: text }))
    setKey('')
    setText('')
  }
  const remove = (name: string) => {
    const { [name]: _, ...rest } = pairs
    onChange(printMetadata(rest))
  }
  return (
    <>
      {Object.entries(pairs).map(([name, each]) => (
        <FilterChip key={name} label={`${name} = ${each} ✕`} isOn onToggle={() => remove(name)} />
      ))}
      <form
        className="flex items-center gap-1"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <input
          aria-label="Metadata key"
          placeholder="Metadata key"
          maxLength={64}
          value={key}
          onChange={({ target }) => setKey(target.value)}
          className={inputLook}
        />
        <span aria-hidden>=</span>
        <input
          aria-label="Metadata value"
          placeholder="value"
          maxLength={500}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className={inputLook}
        />
        <Button isSmall type="submit" reason={key === '' ? 'Type a key first.' : undefined}>
          Add
        </Button>
      </form>
    </>
  )
}
