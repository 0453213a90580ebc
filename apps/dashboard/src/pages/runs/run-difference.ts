import type { Run, RunStep } from '@agent-run-service/sdk'

/** The first place at which two values differ, such as `items.2.name`; `''` for the whole. Null: they are equal. */
export const firstDifference = (one: unknown, other: unknown): string | null => {
  const waiting: [path: string, one: unknown, other: unknown][] = [['', one, other]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [path, left, right] = next
    if (Object.is(left, right)) continue
    if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) return path
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])]
    // The last one pushed is looked at first.
    for (const key of keys.toReversed()) waiting.push([path === '' ? key : `${path}.${key}`, left[key], right[key]])
  }
  return null
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The value at a path of `firstDifference`. */
export const valueAt = (value: unknown, path: string): unknown =>
  path === ''
    ? value
    : path.split('.').reduce<unknown>((part, key) => (isContainer(part) ? part[key] : undefined), value)

/** What a step did, without what differs in every run: times, usage, decisions. */
export const comparableStep = (step: RunStep) => ({
  type: step.type,
  model: step.model,
  status: step.status,
  text: step.text,
  tool_calls: step.tool_calls.map(({ name, arguments: args, status, result }) => ({
    name,
    arguments: args,
    status,
    result,
  })),
})

export type Difference =
  | { part: 'input' | 'output' | 'error'; path: string }
  | { part: 'steps'; path: string; number: number }

type Side = { run: Pick<Run, 'input' | 'output' | 'error'>; steps: readonly RunStep[] }

/** Every part that differs, in the order in which a run happens. The first one is where two runs parted. */
export const differencesOf = (one: Side, other: Side): readonly Difference[] => {
  const part = (name: 'input' | 'output' | 'error'): Difference[] => {
    const path = firstDifference(one.run[name], other.run[name])
    return path === null ? [] : [{ part: name, path }]
  }
  const count = Math.max(one.steps.length, other.steps.length)
  const steps = Array.from({ length: count }, (_, n): Difference[] => {
    const [left, right] = [one.steps[n], other.steps[n]]
    if (!left || !right) return [{ part: 'steps', path: '', number: n + 1 }]
    const path = firstDifference(comparableStep(left), comparableStep(right))
    return path === null ? [] : [{ part: 'steps', path, number: n + 1 }]
  })
  return [...part('input'), ...steps.flat(), ...part('output'), ...part('error')]
}
