import type { UseQueryResult } from '@tanstack/react-query'
import { FilterSelect } from '../../ui/filter-bar.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { Change } from './agent-changes.ts'
import { ChangeList } from './change-list.tsx'

const maxChoices = 1_000

/** The changes between two versions, and the choice of these two. `diff` is not asked for while both are the same. */
export const VersionComparison = (props: {
  newest: number
  from: number
  to: number
  diff: UseQueryResult<{ changes: readonly (Pick<Change, 'path'> & Partial<Change>)[] }>
  onChoose(next: { from: number; to: number }): void
}) => {
  const { newest, from, to, diff, onChoose } = props
  const isSame = from === to
  const choices = Array.from({ length: Math.min(newest, maxChoices) }, (_, n) => String(newest - n))
  const select = (label: string, value: number, onChange: (value: number) => void) => (
    <FilterSelect
      label={label}
      value={String(value)}
      options={[...new Set([...choices, String(value)])].map((each) => [each, `Version ${each}`])}
      onChange={(each) => onChange(Number(each))}
    />
  )
  return (
    <section aria-labelledby="comparison-title">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <h2 id="comparison-title" className="font-semibold">
          What changed
        </h2>
        {select('From version', from, (value) => onChoose({ from: value, to }))}
        <span aria-hidden>→</span>
        {select('To version', to, (value) => onChoose({ from, to: value }))}
      </div>
      {isSame && (
        <p className="text-ink-2">{newest === 1 ? 'This is the only version.' : 'Choose two different versions.'}</p>
      )}
      {!isSame && diff.isPending && <Skeleton rows={3} />}
      {diff.error && (
        <Problem title="The difference: not loaded" error={diff.error} onRetry={() => void diff.refetch()} />
      )}
      {diff.data && !isSame && (
        <>
          {diff.data.changes.length === 0 && <p className="text-ink-2">These versions are equal.</p>}
          <ChangeList
            label={`Changes from version ${from} to version ${to}`}
            changes={diff.data.changes.map(({ path, old, new: next }) => ({ path, old, new: next }))}
          />
        </>
      )}
    </section>
  )
}
