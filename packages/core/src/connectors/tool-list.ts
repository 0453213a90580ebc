import { sha256 } from '@ars/platform/crypto'
import { connectorsBounds } from './bounds.ts'
import { isRepeatable, needsPerson, type ToolManifest } from './tool-manifest.ts'
import type { SchemaLimits } from './tool-schema.ts'
import type { OffTool, Tool, ToolSelection, ToolState } from './toolbox.ts'

/** The bounds for tool servers. Exceeding one is an error with a message, never an endless wait. */
export const toolLimits = {
  /** From the first byte to the last tool of the list. */
  openTimeoutMs: connectorsBounds.list.ms,
  callTimeoutMs: connectorsBounds.call.ms,
  /** For the goodbye to the server, which is optional. */
  closeTimeoutMs: connectorsBounds.goodbye.ms,
  maxServers: connectorsBounds.connectorsOfAgent.count,
  maxListBytes: connectorsBounds.list.bytes,
  maxListPages: connectorsBounds.listPages.count,
  maxListedTools: connectorsBounds.toolsOfConnector.count,
  /** All manifests of a connector together. */
  maxManifestBytes: connectorsBounds.manifests.bytes,
  maxTools: connectorsBounds.toolsOfAgent.count,
  maxDescriptionBytes: connectorsBounds.toolDescription.bytes,
  maxSchemaBytes: connectorsBounds.toolSchema.bytes,
  maxSchemaDepth: connectorsBounds.toolSchema.count,
  maxResultBytes: connectorsBounds.result.bytes,
  maxResultDepth: connectorsBounds.result.count,
  /** How long a list is used when its server sends no `ttlMs`. */
  listTtlMs: connectorsBounds.listAge.ms,
  /** A server that asks for more gets this: a change is noticed at the latest after this time. */
  maxListTtlMs: connectorsBounds.listAgeAsked.ms,
} satisfies Record<string, number> & SchemaLimits

export type ToolLimits = typeof toolLimits

/** A tool of a connector as a step reads it. `manifest` and `hash` are set for approved tools only. */
export type PinnedTool = {
  readonly name: string
  readonly state: ToolState
  readonly hash: string | null
  readonly manifest: ToolManifest | null
}

export type NamelessTool = Omit<Tool, 'name'>
type NamelessOff = Omit<OffTool, 'name'>

/** The tools of a connector that an agent may use, and those that are off. */
export const selectTools = (
  pinned: readonly PinnedTool[],
  { connectorId, allow, requireApproval }: ToolSelection,
): { tools: NamelessTool[]; off: NamelessOff[] } => {
  const tools: NamelessTool[] = []
  const off: NamelessOff[] = []
  for (const { name, state, hash, manifest } of pinned) {
    if (allow && !allow.includes(name)) continue
    if (manifest === null || hash === null) off.push({ connectorId, remoteName: name, state })
    else {
      tools.push({
        connectorId,
        remoteName: name,
        hash,
        description: manifest.description,
        inputSchema: manifest.input_schema,
        repeatable: isRepeatable(manifest),
        needsApproval: needsPerson(manifest, requireApproval),
      })
    }
  }
  const known = new Set(pinned.map(({ name }) => name))
  for (const remoteName of allow ?? []) if (!known.has(remoteName)) off.push({ connectorId, remoteName, state: 'gone' })
  return { tools, off }
}

/** Ends a sentence that begins with the name of the tool. */
export const whyOff: Readonly<Record<ToolState, string>> = {
  approved: 'is approved',
  pending: 'is off: nobody has approved it yet',
  changed: 'is off: its server has changed it since it was approved',
  gone: 'is off: its server does not list it',
}

/**
 * Several selections of one connector are merged: everything that any of them allows, with every approval that any of
 * them requires.
 */
export const mergeSelections = (selections: readonly ToolSelection[]): ToolSelection[] => {
  const merged = new Map<string, ToolSelection>()
  for (const selection of selections) {
    const before = merged.get(selection.connectorId)
    merged.set(selection.connectorId, before ? merge(before, selection) : selection)
  }
  return [...merged.values()]
}

const merge = (one: ToolSelection, other: ToolSelection): ToolSelection => {
  const names = [...(one.requireApproval ?? []), ...(other.requireApproval ?? [])]
  // Only two empty lists together ask nobody.
  const asksByDefault = names.length === 0 && !(one.requireApproval && other.requireApproval)
  return {
    connectorId: one.connectorId,
    allow: one.allow && other.allow ? [...one.allow, ...other.allow] : undefined,
    requireApproval: asksByDefault ? undefined : names,
  }
}

/**
 * Names all tools of an agent. A tool that was approved once counts while it is off, so that switching one off renames
 * no other; a tool that nobody has approved does not, so that a server cannot rename others by adding it.
 */
export const nameAll = (
  tools: readonly NamelessTool[],
  off: readonly NamelessOff[],
): { tools: Tool[]; off: Map<string, OffTool> } => {
  const counted = nameTools([...tools, ...off.filter(({ state }) => state !== 'pending')])
  const named = counted.filter((tool) => 'hash' in tool) as Tool[]
  const taken = new Set(named.map(({ name }) => name))
  const others = [...counted.filter((tool): tool is OffTool => 'state' in tool), ...nameTools(off)]
  return { tools: named, off: new Map(others.filter(({ name }) => !taken.has(name)).map((tool) => [tool.name, tool])) }
}

/**
 * Gives each tool the name that models see: the server's own name if it is safe and unique, otherwise one with a
 * suffix made from the connector and the name. So a tool keeps its name from step to step.
 */
export const nameTools = <Item extends Pick<Tool, 'connectorId' | 'remoteName'>>(
  items: readonly Item[],
): (Item & { readonly name: string })[] => {
  const uses = new Map<string, number>()
  for (const { remoteName } of items) {
    const name = safeName(remoteName).toLowerCase()
    uses.set(name, (uses.get(name) ?? 0) + 1)
  }
  return items.map((item) => {
    const safe = safeName(item.remoteName)
    const isOwn = safe === item.remoteName && uses.get(safe.toLowerCase()) === 1
    return { ...item, name: isOwn ? safe : `${safe.slice(0, maxSafeChars - 9)}_${markOf(item)}` }
  })
}

const maxSafeChars = connectorsBounds.toolNameOfModel.chars

// Letters, digits, _ and -, and no digit or dash first: every provider accepts these.
const safeName = (name: string): string =>
  name
    .replaceAll(/[^a-zA-Z0-9_-]/g, '_')
    .replace(/^(?=[0-9-]|$)/, '_')
    .slice(0, maxSafeChars)

const markOf = ({ connectorId, remoteName }: Pick<Tool, 'connectorId' | 'remoteName'>): string =>
  sha256(`${connectorId} ${remoteName}`).toString('hex').slice(0, 8)
