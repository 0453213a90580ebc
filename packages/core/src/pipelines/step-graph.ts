import type { PipelineStep } from './definition.ts'

type Steps = readonly Pick<PipelineStep, 'key' | 'depends_on'>[]

/**
 * The steps in an order in which each comes after those that it depends on, and the circles that prevent that, each as a list of keys. A
 * step that comes after a circle has no place in the order. Unknown keys in `depends_on` are ignored.
 */
export const orderSteps = (steps: Steps): { order: string[]; circles: string[][] } => {
  const left = new Map(steps.map(({ key, depends_on = [] }) => [key, [...new Set(depends_on)]]))
  const openNeeds = new Map<string, number>()
  const dependants = new Map([...left.keys()].map((key): [string, string[]] => [key, []]))
  for (const [key, needs] of left) {
    const known = needs.filter((each) => left.has(each))
    openNeeds.set(key, known.length)
    for (const each of known) dependants.get(each)?.push(key)
  }

  const takeFrom = (ready: string[]): string[] => {
    const taken: string[] = []
    // The list grows while it is read.
    for (const key of ready) {
      if (!left.delete(key)) continue
      taken.push(key)
      for (const each of dependants.get(key) ?? []) {
        const count = (openNeeds.get(each) ?? 0) - 1
        openNeeds.set(each, count)
        if (count === 0) ready.push(each)
      }
    }
    return taken
  }

  const order = takeFrom([...left.keys()].filter((key) => openNeeds.get(key) === 0))
  const circles: string[][] = []
  // A circle is taken out as a whole, so that the next one is found.
  for (let [start] = left.keys(); start !== undefined; [start] = left.keys()) {
    const circle = circleFrom(start, (key) => left.get(key)?.find((each) => left.has(each)))
    circles.push(circle)
    takeFrom([...circle])
  }
  return { order, circles }
}

/** For each step that has a place in the order, every step that it comes after. */
export const ancestorsOf = (steps: Steps): ReadonlyMap<string, ReadonlySet<string>> => {
  const direct = new Map(steps.map(({ key, depends_on = [] }) => [key, depends_on]))
  const { order } = orderSteps(steps)
  const places = new Map(order.map((key, at) => [key, at]))
  const placeOf = (key: string): number => places.get(key) ?? 0
  const found = new Map<string, ReadonlySet<string>>()
  for (const key of order) {
    const ancestors = new Set<string>()
    const known = (direct.get(key) ?? []).filter((each) => places.has(each))
    // The latest first: it brings most of the others with it.
    for (const each of known.sort((a, b) => placeOf(b) - placeOf(a))) {
      if (ancestors.has(each)) continue
      ancestors.add(each)
      for (const further of found.get(each) ?? []) ancestors.add(further)
    }
    found.set(key, ancestors)
  }
  return found
}

/** Each step that is left needs one that is left, so the walk comes back to a step that it has seen. */
const circleFrom = (start: string, needOf: (key: string) => string | undefined): string[] => {
  const seen: string[] = []
  for (let key = start; ; key = needOf(key) ?? start) {
    const at = seen.indexOf(key)
    if (at >= 0) return seen.slice(at)
    seen.push(key)
  }
}
