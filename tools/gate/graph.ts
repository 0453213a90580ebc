import { posix } from 'node:path'

/** Files of the repository by path; the text of code, and nothing for the rest. */
export type Tree = ReadonlyMap<string, string>

/** Where the packages of the workspace lie, and what their names of modules stand for. */
export type Packages = ReadonlyMap<string, { readonly folder: string; readonly exports: unknown }>

export type Graph = {
  /** The tests that can see one of these files, with the number of imports in between: the nearest first. */
  seeing(changed: readonly string[]): Map<string, number>
}

const isCode = /\.[cm]?[jt]sx?$/
const isTest = /\.test\.tsx?$/
const imported = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g
const quoted = /(['"`])((?:\.{0,2}\/)*[\w@.-]+(?:\/[\w@.*-]*)*)\1/g

/**
 * Which test can see which file. Code is seen through imports. Any other file is seen by the code that names it, or a
 * folder around it, in quotes: a test that is played needlessly costs seconds, one that is left out costs a defect.
 */
export const graphOf = (tree: Tree, packages: Packages): Graph => {
  const importers = new Map<string, Set<string>>()
  const naming = new Map<string, Set<string>>()
  const add = (map: Map<string, Set<string>>, key: string, path: string): void => {
    map.set(key, (map.get(key) ?? new Set()).add(path))
  }
  for (const [path, text] of tree) {
    if (!isCode.test(path)) continue
    for (const [, , name = ''] of text.matchAll(imported)) {
      const target = resolve(name, path, tree, packages)
      if (target) add(importers, target, path)
    }
    for (const [, , name = ''] of text.matchAll(quoted)) add(naming, name.replace(/^(\.{0,2}\/)+/, ''), path)
  }
  // A row of a migration is seen by everything that has a database.
  const readersOf = (path: string): string[] => {
    if (isCode.test(path)) return [...(importers.get(path) ?? []), ...(naming.get(path) ?? [])]
    const parts = path.split('/')
    const names = parts.flatMap((_, n) => [parts.slice(0, n + 1).join('/'), parts.slice(n).join('/')])
    return [...new Set(names)].flatMap((name) => [...(naming.get(name) ?? [])])
  }
  return {
    seeing: (changed) => {
      const distance = new Map<string, number>(changed.map((path) => [path, 0]))
      const waiting = [...distance.keys()]
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        for (const reader of readersOf(path)) {
          if (distance.has(reader)) continue
          distance.set(reader, (distance.get(path) ?? 0) + 1)
          waiting.push(reader)
        }
      }
      return new Map(
        [...distance]
          .filter(([path]) => isTest.test(path) && tree.has(path))
          .toSorted(([, one], [, other]) => one - other),
      )
    },
  }
}

const resolve = (name: string, from: string, tree: Tree, packages: Packages): string | undefined => {
  const candidates = name.startsWith('.') ? [posix.join(posix.dirname(from), name)] : ofPackage(name, packages)
  return candidates.find((path) => tree.has(path))
}

const ofPackage = (name: string, packages: Packages): string[] => {
  const [scope = '', short = '', ...rest] = name.split('/')
  const [root, inside] = scope.startsWith('@') ? [`${scope}/${short}`, rest] : [scope, [short, ...rest].filter(Boolean)]
  const found = packages.get(root)
  if (!found) return []
  const wanted = inside.length === 0 ? '.' : `./${inside.join('/')}`
  return targetsOf(found.exports, wanted).map((target) => posix.join(found.folder, target))
}

/** The targets of a module in `exports`, whatever the condition. */
const targetsOf = (exports: unknown, wanted: string): string[] => {
  if (typeof exports === 'string') return wanted === '.' ? [exports] : []
  if (typeof exports !== 'object' || exports === null) return []
  return Object.entries(exports).flatMap(([pattern, target]) => {
    const [before = '', after] = pattern.split('*')
    const isMatch =
      after === undefined
        ? pattern === wanted
        : wanted.startsWith(before) && wanted.endsWith(after) && wanted.length > before.length
    if (!isMatch) return []
    const star = after === undefined ? '' : wanted.slice(before.length, wanted.length - after.length)
    return leavesOf(target).map((leaf) => leaf.replace('*', star))
  })
}

const leavesOf = (target: unknown): string[] => {
  if (typeof target === 'string') return [target]
  return typeof target === 'object' && target !== null ? Object.values(target).flatMap(leavesOf) : []
}
