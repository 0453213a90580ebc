import { lazy, Suspense } from 'react'
import { Skeleton } from './skeleton.tsx'

const View = lazy(async () => ({ default: (await import('./diff-view.tsx')).DiffView }))

/** Two values line by line. Texts are compared as they are, everything else as JSON. */
export const Diff = ({ label, old, next }: { label: string; old: unknown; next: unknown }) => (
  <Suspense fallback={<Skeleton rows={3} />}>
    <View label={label} old={textOf(old)} next={textOf(next)} />
  </Suspense>
)

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
