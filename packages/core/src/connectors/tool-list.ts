import { sha256 } from '@ars/platform/crypto'
import { faultOfSchema, type SchemaLimits } from './tool-schema.ts'
import type { LeftOut, Tool, ToolSelection } from './toolbox.ts'

/** The bounds for tool servers. Exceeding one is an error with a message, never an endless wait. */
export const toolLimits = {
  /** From the first byte to the last tool of the list. */
  openTimeoutMs: 15_000,
  callTimeoutMs: 120_000,
  /** For the goodbye to the server, which is optional. */
  closeTimeoutMs: 1000,
  maxServers: 16,
  maxListBytes: 2_097_152,
  maxListPages: 20,
  maxListedTools: 1000,
  maxTools: 128,
  maxNameChars: 128,
  maxDescriptionBytes: 4096,
  maxSchemaBytes: 32_768,
  maxSchemaDepth: 32,
  maxResultBytes: 1_048_576,
  maxResultDepth: 64,
} satisfies Record<string, number> & SchemaLimits

export type ToolLimits = typeof toolLimits

/** A tool as its server lists it. */
export type ListedTool = {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations?:
    | { readonly readOnlyHint?: boolean | undefined; readonly idempotentHint?: boolean | undefined }
    | undefined
}

export type NamelessTool = Omit<Tool, 'name'>

/** The tools of a server that an agent may use. */
export const selectTools = (
  listed: readonly ListedTool[],
  selection: ToolSelection,
  limits: ToolLimits,
): { tools: NamelessTool[]; leftOut: LeftOut[] } => {
  const { connectorId, allow = [], requireApproval = [] } = selection
  const tools = new Map<string, NamelessTool>()
  const leftOut: LeftOut[] = []
  const leave = (remoteName: string, reason: string): void => {
    leftOut.push({ connectorId, remoteName: remoteName.slice(0, limits.maxNameChars), reason })
  }

  for (const { name, description = '', inputSchema, annotations } of listed) {
    if (allow.length > 0 && !allow.includes(name)) continue
    const fault = faultOfName(name, limits) ?? faultOfSchema(inputSchema, limits)
    if (fault) leave(name, fault)
    else if (tools.has(name)) leave(name, 'the server lists another tool of this name')
    else {
      tools.set(name, {
        connectorId,
        remoteName: name,
        description: cutTo(description, limits.maxDescriptionBytes),
        inputSchema: { ...inputSchema, type: 'object' },
        repeatable: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
        needsApproval: requireApproval.includes(name),
      })
    }
  }
  const names = new Set(listed.map(({ name }) => name))
  for (const name of allow) if (!names.has(name)) leave(name, 'the server does not list it')
  return { tools: [...tools.values()], leftOut }
}

/**
 * Several selections of one connector are merged: everything that any of them allows, with every approval that any of
 * them requires.
 */
export const mergeSelections = (selections: readonly ToolSelection[]): ToolSelection[] => {
  const merged = new Map<string, ToolSelection>()
  for (const { connectorId, allow = [], requireApproval = [] } of selections) {
    const before = merged.get(connectorId)
    const allowsAll = allow.length === 0 || before?.allow?.length === 0
    merged.set(connectorId, {
      connectorId,
      allow: allowsAll ? [] : [...(before?.allow ?? []), ...allow],
      requireApproval: [...(before?.requireApproval ?? []), ...requireApproval],
    })
  }
  return [...merged.values()]
}

/**
 * Gives each tool the name that models see: the server's own name if it is safe and unique, otherwise one with a
 * suffix made from the connector and the name. So a tool keeps its name from step to step.
 */
export const nameTools = (tools: readonly NamelessTool[]): Tool[] => {
  const uses = new Map<string, number>()
  for (const { remoteName } of tools) {
    const name = safeName(remoteName).toLowerCase()
    uses.set(name, (uses.get(name) ?? 0) + 1)
  }
  return tools.map((tool) => {
    const safe = safeName(tool.remoteName)
    const isOwn = safe === tool.remoteName && uses.get(safe.toLowerCase()) === 1
    return { ...tool, name: isOwn ? safe : `${safe.slice(0, maxSafeChars - 9)}_${markOf(tool)}` }
  })
}

const maxSafeChars = 64

// Letters, digits, _ and -, and no digit or dash first: every provider accepts these.
const safeName = (name: string): string =>
  name
    .replaceAll(/[^a-zA-Z0-9_-]/g, '_')
    .replace(/^(?=[0-9-]|$)/, '_')
    .slice(0, maxSafeChars)

const markOf = ({ connectorId, remoteName }: NamelessTool): string =>
  sha256(`${connectorId} ${remoteName}`).toString('hex').slice(0, 8)

const faultOfName = (name: string, { maxNameChars }: ToolLimits): string | undefined => {
  if (name.length > maxNameChars) return `its name is longer than ${maxNameChars} characters`
  return /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(name) ? undefined : 'its name is empty or holds control characters'
}

const cutTo = (text: string, mostBytes: number): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= mostBytes) return text
  // The cut may have split the last character.
  const kept = bytes.subarray(0, mostBytes - Buffer.byteLength('…')).toString()
  return `${kept.replace(/\uFFFD+$/, '')}…`
}
