import type { Refs } from './plan.ts'

/** The names that a block may give to answers that the shell does not save. */
export type Names = {
  /** The wanted name, or another one that nothing uses. `kind` is the type of the answer: with `reuses`, two answers of a type share a name. */
  take(wanted: string, refs: Refs, kind?: string): { name: string; isNew: boolean }
  /** The block has given this name. */
  add(name: string, kind?: string): { isNew: boolean }
}

export const blockNames = (): Names => {
  const given = new Map<string, string | undefined>()
  const isFree = (name: string, kind: string | undefined): boolean =>
    !given.has(name) || (kind !== undefined && given.get(name) === kind)
  return {
    take: (wanted, refs, kind) => {
      const bound = new Set([...refs.values()].map(({ name }) => name))
      for (let n = 0; ; n++) {
        const name = n === 0 ? wanted : `result${n === 1 ? '' : n}`
        if (bound.has(name) || !isFree(name, kind)) continue
        const isNew = !given.has(name)
        given.set(name, kind)
        return { name, isNew }
      }
    },
    add: (name, kind) => {
      const isNew = !given.has(name)
      given.set(name, kind)
      return { isNew }
    },
  }
}
