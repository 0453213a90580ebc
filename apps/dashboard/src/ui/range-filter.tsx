import { FilterSelect } from './filter-bar.tsx'
import { usePreferences } from './preferences.ts'
import { absoluteTime, fromLocalInput, type RangeSearch, rangeChoice, relativeRanges, toLocalInput } from './range.ts'

/** The range of a list: relative to now, or from one time to another. */
export const RangeFilter = ({ range, onChange }: { range: RangeSearch; onChange(range: RangeSearch): void }) => {
  const isUtc = usePreferences().zone === 'utc'
  const choice = rangeChoice(range)
  const choose = (value: string) => {
    if (value === 'any') onChange({ created_after: undefined, created_before: undefined })
    else if (value === 'own')
      onChange({ created_after: absoluteTime(range.created_after ?? '-1h', Date.now()), created_before: undefined })
    else onChange({ created_after: value, created_before: undefined })
  }
  const input = (label: string, name: keyof RangeSearch) => (
    <label className="flex items-center gap-1 text-ink-2 text-xs">
      {label}
      <input
        type="datetime-local"
        value={toLocalInput(absoluteTime(range[name], Date.now()), isUtc)}
        onChange={({ target }) => onChange({ ...range, [name]: fromLocalInput(target.value, isUtc) })}
        className="h-7 rounded-md border border-line-strong bg-surface px-2 text-xs"
      />
    </label>
  )
  return (
    <>
      <FilterSelect
        label="Time range"
        value={choice}
        options={[['any', 'Any time'], ...relativeRanges, ['own', 'Own range']]}
        onChange={choose}
      />
      {choice === 'own' && (
        <>
          {input('From', 'created_after')}
          {input('to', 'created_before')}
        </>
      )}
    </>
  )
}
