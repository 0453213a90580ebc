import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where a process spent its time. Shares are of the time in which it was not idle. */
export type SelfTimes = {
  busyMs: number
  /** Time in a function itself, what it called left out. */
  functions: SelfTime[]
  /** By package or own file; the time of Node and of native code is attributed to its caller. */
  owners: SelfTime[]
}

export type SelfTime = {
  name: string
  ms: number
  share: number
}

/** Reads what `node --cpu-prof` left in a directory. */
export const readSelfTimes = (dir: string): SelfTimes => {
  const files = readdirSync(dir).filter((name) => name.endsWith('.cpuprofile'))
  const functions = new Map<string, number>()
  const owners = new Map<string, number>()
  let busyMs = 0
  for (const file of files) {
    for (const { path, ms } of samplesOf(JSON.parse(readFileSync(join(dir, file), 'utf8')) as Profile)) {
      const [self] = path
      if (!self || self.functionName === '(idle)') continue
      busyMs += ms
      add(functions, nameOf(self), ms)
      add(owners, ownerOf(path), ms)
    }
  }
  return { busyMs, functions: ranked(functions, busyMs), owners: ranked(owners, busyMs) }
}

type CallFrame = {
  functionName: string
  url: string
  lineNumber: number
}

type Profile = {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** Each sample with its stack, the running function first. */
const samplesOf = function* ({ nodes, samples, timeDeltas }: Profile): Generator<{ path: CallFrame[]; ms: number }> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const paths = new Map<number, CallFrame[]>()
  const pathOf = (id: number): CallFrame[] => {
    const known = paths.get(id)
    if (known) return known
    const path: CallFrame[] = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame
      if (frame && frame.functionName !== '(root)') path.push(frame)
    }
    paths.set(id, path)
    return path
  }
  for (const [index, id] of samples.entries()) yield { path: pathOf(id), ms: (timeDeltas[index] ?? 0) / 1000 }
}

const ownerOf = (path: readonly CallFrame[]): string => {
  const owner = path.find(({ url }) => url.startsWith('file:') || url.includes('node_modules/'))
  if (owner) return moduleOf(owner.url)
  const [self] = path
  const internal = path.find(({ url }) => url.startsWith('node:'))
  return internal ? internal.url : (self?.functionName ?? '')
}

const nameOf = ({ functionName, url, lineNumber }: CallFrame): string => {
  const name = functionName === '' ? '(anonymous)' : functionName
  return url === '' ? name : `${name}  ${placeOf(url)}:${lineNumber + 1}`
}

const placeOf = (url: string): string => {
  const inPackage = /node_modules\/(?!\.pnpm\/)((?:@[^/]+\/)?[^/]+\/.*)$/.exec(url)?.[1]
  return inPackage ?? url.replace(/^.*\/(?=(packages|apps|tools)\/)/, '')
}

const moduleOf = (url: string): string => {
  const inPackage = /node_modules\/(?!\.pnpm\/)((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  return inPackage ?? placeOf(url)
}

const add = (map: Map<string, number>, name: string, ms: number): void => {
  map.set(name, (map.get(name) ?? 0) + ms)
}

const ranked = (map: ReadonlyMap<string, number>, busyMs: number): SelfTime[] =>
  [...map].map(([name, ms]) => ({ name, ms, share: ms / busyMs })).toSorted((a, b) => b.ms - a.ms)
