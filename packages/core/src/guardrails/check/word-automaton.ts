import { foldCode } from './folding.ts'
import type { Piece } from './piece.ts'

export type WordAutomaton = {
  /**
   * Calls back for each end of a word in the text (or in the part of it), in order, with the length of the longest word that ends there. The answer `true`
   * says that this word does; otherwise the next shorter one is offered.
   */
  scan(text: string, isMatch: (end: number, length: number, word: number) => boolean, part?: Piece): void
}

/**
 * Aho–Corasick over UTF-16 units: one pass over the text, whatever the words are. Edges lie in one open hash table, because a node has
 * few edges and the alphabet is large.
 */
export const buildWordAutomaton = (words: readonly string[], fold: 'fold' | 'exact'): WordAutomaton => {
  const codeOf = fold === 'fold' ? foldCode : (code: number) => code
  // Calls cost more than everything else here, so ASCII is looked up.
  const ascii = Uint8Array.from({ length: 128 }, (_, code) => codeOf(code))
  const maxNodes = 1 + words.reduce((sum, word) => sum + word.length, 0)
  const edges = createEdges(maxNodes)
  const depth = new Int32Array(maxNodes)
  const wordAt = new Int32Array(maxNodes).fill(-1)
  const fail = new Int32Array(maxNodes)
  /** The next node on the way of failures at which a word ends; 0: none. */
  const output = new Int32Array(maxNodes)
  const nodes: { node: number; parent: number; code: number }[] = []

  for (const [index, word] of words.entries()) {
    let node = 0
    for (let i = 0; i < word.length; i++) {
      const code = codeOf(word.charCodeAt(i))
      let next = edges.get(node, code)
      if (next === 0) {
        next = nodes.length + 1
        nodes.push({ node: next, parent: node, code })
        depth[next] = i + 1
        edges.set(node, code, next)
      }
      node = next
    }
    if (node !== 0) wordAt[node] = index
  }

  const follow = (from: number, code: number): number => {
    for (let node = from; ; node = fail[node] ?? 0) {
      const next = edges.get(node, code)
      if (next !== 0 || node === 0) return next
    }
  }
  // The failure of a node lies nearer to the root, so nodes are linked by depth.
  nodes.sort((a, b) => (depth[a.node] ?? 0) - (depth[b.node] ?? 0))
  for (const { node, parent, code } of nodes) {
    const link = parent === 0 ? 0 : follow(fail[parent] ?? 0, code)
    fail[node] = link
    output[node] = (wordAt[link] ?? -1) >= 0 ? link : (output[link] ?? 0)
  }

  const begins = beginningsOf(words, codeOf)

  return {
    scan: (text, isMatch, part) => {
      const length = part?.end ?? text.length
      const from = part?.start ?? 0
      const codeAt = (place: number): number => (place < length ? codeOf(text.charCodeAt(place)) : 0)
      let node = 0
      let code = codeAt(from)
      let second = codeAt(from + 1)
      for (let i = from; i < length; i++) {
        const raw = i + 2 < length ? text.charCodeAt(i + 2) : 0
        const third = raw < 128 ? (ascii[raw] as number) : codeOf(raw)
        const hash = hashOf(code, second, third)
        if (node !== 0 || ((begins[hash >> 3] as number) & (1 << (hash & 7))) !== 0) {
          node = follow(node, code)
          for (let end = (wordAt[node] ?? -1) >= 0 ? node : (output[node] ?? 0); end !== 0; end = output[end] ?? 0)
            if (isMatch(i + 1, depth[end] ?? 0, wordAt[end] ?? 0)) break
        }
        code = second
        second = third
      }
    },
  }
}

/** Five bits of each of three characters: enough to tell letters apart. */
const hashOf = (first: number, second: number, third: number): number =>
  ((first & 31) << 10) | ((second & 31) << 5) | (third & 31)

/** Most characters of a text begin no word. One bit tells by three characters; a shorter word goes with all that can follow it. */
const beginningsOf = (words: readonly string[], codeOf: (code: number) => number): Uint8Array => {
  const begins = new Uint8Array(4_096)
  const all = Array.from({ length: 32 }, (_, code) => code)
  for (const word of words) {
    if (word === '') continue
    const [first = 0, second, third] = word
      .slice(0, 3)
      .split('')
      .map((unit) => codeOf(unit.charCodeAt(0)))
    for (const next of second === undefined ? all : [second])
      for (const last of third === undefined ? all : [third]) {
        const hash = hashOf(first, next, last)
        begins[hash >> 3] = (begins[hash >> 3] as number) | (1 << (hash & 7))
      }
  }
  return begins
}

/** Child by node and character. No node has the number 0 but the root, which is nobody's child. */
const createEdges = (count: number) => {
  let size = 64
  while (size < 2 * count) size *= 2
  const parents = new Int32Array(size)
  const codes = new Uint16Array(size)
  const children = new Int32Array(size)
  const slotOf = (node: number, code: number): number => {
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(code + 1, 0x85ebca6b)) & (size - 1)
    while (children[slot] !== 0 && !(parents[slot] === node && codes[slot] === code)) slot = (slot + 1) & (size - 1)
    return slot
  }
  return {
    get: (node: number, code: number): number => children[slotOf(node, code)] ?? 0,
    set: (node: number, code: number, child: number): void => {
      const slot = slotOf(node, code)
      parents[slot] = node
      codes[slot] = code
      children[slot] = child
    },
  }
}
