import { FilterSelect } from '../../ui/filter-bar.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { absoluteTime, fromLocalInput, toLocalInput } from '../../ui/range.ts'

export type Period = { from?: string | undefined; to?: string | undefined }

export const defaultFrom = '-24h'

const periods = [
  ['-24h', 'Last 24 hours'],
  ['-7d', 'Last 7 days'],
  ['-30d', 'Last 30 days'],
] as const

/** The last hours or days, or from one time to another. */
export const PeriodFilter = ({ from = defaultFrom, to, onChange }: Period & { onChange(period: Period): void }) => {
  const isUtc = usePreferences().zone === 'utc'
  const known = to === undefined ? periods.find(([value]) => value === from) : undefined
  const choose = (value: string) =>
    onChange({ from: value === 'own' ? absoluteTime(from, Date.now()) : value, to: undefined })
  const input = (label: string, name: keyof Period, value: string | undefined) => (
    <label className="flex items-center gap-1 text-ink-2 text-xs">
      {label}
      <input
        type="datetime-local"
        value={toLocalInput(absoluteTime(value, Date.now()), isUtc)}
        onChange={({ target }) => onChange({ from, to, [name]: fromLocalInput(target.value, isUtc) })}
        className="h-7 rounded-md border border-line-strong bg-surface px-2 text-xs"
      />
    </label>
  )
  return (
    <>
      <FilterSelect
        label="Period"
        value={known?.[0] ?? 'own'}
        options={[...periods, ['own', 'Own period']]}
        onChange={choose}
      />
      {!known && (
        <>
          {input('From', 'from', from)}
          {input('to', 'to', to)}
        </>
      )}
    </>
  )
}
