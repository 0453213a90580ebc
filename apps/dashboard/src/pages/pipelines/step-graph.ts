/** A step as the graph needs it. Its dependencies may be unknown or circular while a person types. */
export type GraphStep = { key: string; dependsOn: readonly string[] }

export type GraphNode = { key: string; layer: number; x: number; y: number }
export type GraphEdge = { from: string; to: string; path: string }
export type StepGraph = { nodes: readonly GraphNode[]; edges: readonly GraphEdge[]; width: number; height: number }

/** In pixels. A bend is a place in a layer through which a long edge passes, so that it does not cross a step. */
export const graphSize = { nodeWidth: 176, nodeHeight: 56, gapX: 24, gapY: 36, bendWidth: 12, padding: 12 } as const
/** Above it, long edges are straight: a definition has at most 200 steps, but 19,900 edges. */
const maxBends = 1_000

type Slot = { id: string; key: string | null; width: number; before: readonly string[] }

/** Steps in layers from top to bottom: each stands below all steps that it depends on. */
export const layOut = (steps: readonly GraphStep[]): StepGraph => {
  const known = firstOfEach(steps)
  const layers = layersOf(known)
  const { slots, routes } = slotsOf(known, layers)
  const placed = placesOf(order(slots))
  const nodes = known.map(({ key }): GraphNode => ({ key, layer: layers.get(key) ?? 0, ...cornerOf(placed, key) }))
  const edges = routes.map(({ from, to, via }) => ({ from, to, path: pathOf(placed, [from, ...via, to]) }))
  const layerCount = slots.length
  return {
    nodes,
    edges,
    width: placed.width,
    height: layerCount === 0 ? 0 : layerCount * stepY - graphSize.gapY + 2 * graphSize.padding,
  }
}

const stepY = graphSize.nodeHeight + graphSize.gapY

/** Keys that occur twice are faults; the first one is drawn. Unknown and repeated dependencies are left out. */
const firstOfEach = (steps: readonly GraphStep[]): readonly GraphStep[] => {
  const keys = new Set(steps.map(({ key }) => key))
  const seen = new Set<string>()
  return steps
    .filter(({ key }) => !seen.has(key) && seen.add(key))
    .map(({ key, dependsOn }) => ({
      key,
      dependsOn: [...new Set(dependsOn)].filter((each) => keys.has(each) && each !== key),
    }))
}

/** The longest way to each step. Steps in a circle stand below the others, one layer each. */
const layersOf = (steps: readonly GraphStep[]): ReadonlyMap<string, number> => {
  const layers = new Map<string, number>()
  let left = steps
  while (left.length > 0) {
    const ready = left.filter(({ dependsOn }) => dependsOn.every((each) => layers.has(each)))
    const next = ready.length > 0 ? ready : left.slice(0, 1)
    for (const { key, dependsOn } of next) {
      layers.set(key, Math.max(-1, ...dependsOn.map((each) => layers.get(each) ?? -1)) + 1)
    }
    left = left.filter(({ key }) => !layers.has(key))
  }
  return layers
}

type Route = { from: string; to: string; via: readonly string[] }

const slotsOf = (steps: readonly GraphStep[], layers: ReadonlyMap<string, number>) => {
  const slots: Slot[][] = []
  const routes: Route[] = []
  const add = (layer: number, slot: Slot): void => {
    slots[layer] ??= []
    slots[layer].push(slot)
  }
  let bends = 0
  for (const { key, dependsOn } of steps) {
    const layer = layers.get(key) ?? 0
    const last: string[] = []
    for (const from of dependsOn) {
      const first = layers.get(from) ?? 0
      const count = Math.max(0, layer - first - 1)
      const via: string[] = []
      if (bends + count <= maxBends) {
        for (let at = first + 1; at < layer; at += 1) {
          const id = `${from} ${key} ${at}`
          add(at, { id, key: null, width: graphSize.bendWidth, before: [via.at(-1) ?? from] })
          via.push(id)
        }
        bends += count
      }
      last.push(via.at(-1) ?? from)
      routes.push({ from, to: key, via })
    }
    add(layer, { id: key, key, width: graphSize.nodeWidth, before: last })
  }
  return { slots: Array.from(slots, (layer) => layer ?? []), routes }
}

/** Each layer in the order of the middle of what stands before it, so that few edges cross. */
const order = (layers: readonly (readonly Slot[])[]): readonly (readonly Slot[])[] => {
  const position = new Map<string, number>()
  return layers.map((layer) => {
    const middle = new Map(
      layer.map(({ id, before }) => {
        const known = before.flatMap((each) => position.get(each) ?? [])
        return [id, known.length === 0 ? 0.5 : known.reduce((sum, each) => sum + each, 0) / known.length]
      }),
    )
    const sorted = layer.toSorted((one, other) => (middle.get(one.id) ?? 0) - (middle.get(other.id) ?? 0))
    for (const [n, { id }] of sorted.entries()) position.set(id, (n + 0.5) / sorted.length)
    return sorted
  })
}

type Places = { width: number; byId: ReadonlyMap<string, { x: number; y: number; width: number; isBend: boolean }> }

/** Every layer is centred. */
const placesOf = (layers: readonly (readonly Slot[])[]): Places => {
  const { gapX, padding } = graphSize
  const widthOf = (layer: readonly Slot[]) => layer.reduce((sum, { width }) => sum + width + gapX, -gapX)
  const inner = Math.max(0, ...layers.map(widthOf))
  const byId = new Map<string, { x: number; y: number; width: number; isBend: boolean }>()
  for (const [n, layer] of layers.entries()) {
    let x = padding + (inner - widthOf(layer)) / 2
    for (const { id, key, width } of layer) {
      byId.set(id, { x, y: padding + n * stepY, width, isBend: key === null })
      x += width + gapX
    }
  }
  return { width: inner + 2 * padding, byId }
}

const cornerOf = ({ byId }: Places, key: string): { x: number; y: number } => {
  const { x, y } = byId.get(key) ?? { x: 0, y: 0 }
  return { x, y }
}

/** From the lower side of the first to the upper side of the last, smoothly. */
const pathOf = ({ byId }: Places, ids: readonly string[]): string => {
  const points = ids.flatMap((id, n) => {
    const place = byId.get(id)
    if (!place) return []
    const x = place.x + place.width / 2
    const top = { x, y: place.y }
    const bottom = { x, y: place.y + graphSize.nodeHeight }
    if (n === 0) return [bottom]
    return n === ids.length - 1 ? [top] : [top, bottom]
  })
  const [start, ...rest] = points
  if (!start) return ''
  let was = start
  let path = `M ${start.x} ${start.y}`
  for (const point of rest) {
    const half = (point.y - was.y) / 2
    path += ` C ${was.x} ${was.y + half} ${point.x} ${point.y - half} ${point.x} ${point.y}`
    was = point
  }
  return path
}
