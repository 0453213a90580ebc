import { connectorsBounds } from './bounds.ts'
import { isDeeperThan, withoutSecret } from './json-value.ts'
import { badAnswer } from './mcp-message.ts'
import type { ToolLimits } from './tool-list.ts'
import {
  changedFieldsOf,
  type HashedManifest,
  hashOf,
  type ListedTool,
  lookAlikeOf,
  readManifest,
  type ToolManifest,
} from './tool-manifest.ts'

/** The tools of a server at one moment. */
export type ToolListing = {
  readonly tools: readonly HashedManifest[]
  /** Tools that can never be used, whatever a person approves. */
  readonly refused: readonly RefusedTool[]
  /** How long the list is used before the server is asked again. */
  readonly freshForMs: number
}

export type RefusedTool = { readonly name: string; readonly reason: string }

/** A tool that is off because of what its server lists now. `fields`: what differs from the approved manifest. */
export type ToolChange = {
  readonly name: string
  readonly change: 'new' | 'changed' | 'gone'
  readonly fields: readonly string[]
}

export const listingOf = (
  { listed, ttlMs }: { listed: readonly ListedTool[]; ttlMs: number | undefined },
  credential: string | null,
  limits: ToolLimits,
): ToolListing => {
  const tools = new Map<string, HashedManifest>()
  const refused: RefusedTool[] = []
  let bytes = 0
  // Thrown at once: a hostile list must not cost more than its bound.
  const count = (value: unknown): void => {
    bytes += Buffer.byteLength(JSON.stringify(value))
    if (bytes > limits.maxManifestBytes)
      throw badAnswer(`The server’s tools are described in more than ${limits.maxManifestBytes} bytes`)
  }
  for (const tool of listed) {
    const schemas = [tool.inputSchema, tool.outputSchema ?? null]
    if (!isDeeperThan(schemas, limits.maxSchemaDepth + 1)) count(schemas)
    const read = readManifest(tool, limits)
    if ('fault' in read) refused.push({ name: shown(tool.name), reason: read.fault })
    else if (tools.has(tool.name))
      refused.push({ name: tool.name, reason: 'the server lists another tool of this name' })
    else {
      const manifest = withoutSecret(read.manifest, credential) as ToolManifest
      count([manifest.title, manifest.description])
      tools.set(tool.name, { manifest, hash: hashOf(manifest) })
    }
  }
  const freshForMs = Math.min(ttlMs ?? limits.listTtlMs, limits.maxListTtlMs)
  return { tools: [...tools.values()], refused, freshForMs }
}

type KnownTool = {
  readonly name: string
  readonly listed_hash: string | null
  readonly approved_hash: string | null
  readonly approved_manifest: ToolManifest | null
}

/** What a listing changes: the tools to write, those that are gone, and which of them are off now. */
export const compareListing = (
  known: readonly KnownTool[],
  listed: readonly HashedManifest[],
): { put: HashedManifest[]; gone: string[]; off: ToolChange[] } => {
  const before = new Map(known.map((tool) => [tool.name, tool]))
  const names = new Set(listed.map(({ manifest }) => manifest.name))
  const put = listed.filter(({ manifest, hash }) => before.get(manifest.name)?.listed_hash !== hash)
  const missing = known.filter(({ name, listed_hash }) => listed_hash !== null && !names.has(name))
  const off = put
    .filter(({ manifest, hash }) => before.get(manifest.name)?.approved_hash !== hash)
    .map(({ manifest }): ToolChange => {
      const approved = before.get(manifest.name)?.approved_manifest
      if (!approved) return { name: manifest.name, change: 'new', fields: [] }
      return { name: manifest.name, change: 'changed', fields: changedFieldsOf(approved, manifest) }
    })
  const removed = missing
    .filter(({ approved_hash }) => approved_hash !== null)
    .map(({ name }): ToolChange => ({ name, change: 'gone', fields: [] }))
  return { put, gone: missing.map(({ name }) => name), off: [...off, ...removed] }
}

/** Whether the stored hashes are those of the listing. */
export const isAsListed = (
  known: readonly Pick<KnownTool, 'name' | 'listed_hash'>[],
  listed: readonly HashedManifest[],
): boolean => {
  const hashes = new Map(listed.map(({ manifest, hash }) => [manifest.name, hash]))
  const stored = known.filter(({ listed_hash }) => listed_hash !== null)
  return stored.length === hashes.size && stored.every(({ name, listed_hash }) => hashes.get(name) === listed_hash)
}

/** The tools that adding a connector approves: all except those that a person could confuse with another one. */
export const approvableAtOnce = (listed: readonly HashedManifest[]): { name: string; hash: string }[] => {
  const names = listed.map(({ manifest }) => manifest.name)
  return listed
    .filter(({ manifest }) => lookAlikeOf(manifest.name, names) === null)
    .map(({ manifest, hash }) => ({ name: manifest.name, hash }))
}

// A refused name may hold any characters. Those that are not printable ASCII are shown by their numbers.
const shown = (name: string): string =>
  name
    .slice(0, maxShownChars)
    .replaceAll(/[^\x20-\x7e]/gu, (each) => `U+${each.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`)

const maxShownChars = connectorsBounds.toolNameShown.chars
