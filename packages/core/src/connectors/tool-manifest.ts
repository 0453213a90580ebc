import { canonicalJson, sha256 } from '@ars/platform/crypto'
import { connectorsBounds } from './bounds.ts'
import { isDeeperThan } from './json-value.ts'
import { faultOfSchema, type SchemaLimits } from './tool-schema.ts'

/** A tool as its server lists it. */
export type ListedTool = {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined
  readonly annotations?: Partial<Record<`${keyof Hints}Hint`, boolean | undefined>> | undefined
}

/** What the service knows and uses of a tool. A person approves exactly this, and an agent gets nothing else. */
export type ToolManifest = {
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly input_schema: Readonly<Record<string, unknown>>
  readonly output_schema: Readonly<Record<string, unknown>> | null
  readonly hints: ToolHints
}

type Hints = { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean }

/** Hints that the server does not send have the defaults of MCP. */
export type ToolHints = {
  readonly read_only: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly open_world: boolean
}

/** `hash` is 64 hexadecimal digits. */
export type HashedManifest = { readonly manifest: ToolManifest; readonly hash: string }

export type ManifestLimits = SchemaLimits & { readonly maxDescriptionBytes: number }

/** The manifest of a listed tool, or why the tool can never be used. */
export const readManifest = (
  { name, title, description = '', inputSchema, outputSchema, annotations = {} }: ListedTool,
  limits: ManifestLimits,
): { manifest: ToolManifest } | { fault: string } => {
  const fault = faultOfName(name) ?? faultOfSchema(inputSchema, limits) ?? faultOfOutput(outputSchema, limits)
  if (fault) return { fault }
  const manifest: ToolManifest = {
    name,
    title: title === undefined ? null : cutTo(title, maxTitleBytes),
    description: cutTo(description, limits.maxDescriptionBytes),
    input_schema: { ...inputSchema, type: 'object' },
    output_schema: outputSchema ?? null,
    hints: {
      read_only: annotations.readOnlyHint ?? false,
      destructive: annotations.destructiveHint ?? true,
      idempotent: annotations.idempotentHint ?? false,
      open_world: annotations.openWorldHint ?? true,
    },
  }
  return { manifest }
}

export const hashOf = (manifest: ToolManifest): string => sha256(canonicalJson(manifest)).toString('hex')

const maxTitleBytes = connectorsBounds.toolTitle.bytes

/** The fields that differ, hints by their names: `description`, `hints.read_only`. */
export const changedFieldsOf = (before: ToolManifest, after: ToolManifest): string[] => {
  const flat = ({ hints, ...rest }: ToolManifest): Record<string, unknown> => ({
    ...rest,
    ...Object.fromEntries(Object.entries(hints).map(([name, value]) => [`hints.${name}`, value])),
  })
  const [one, other] = [flat(before), flat(after)]
  return Object.keys(other).filter((field) => canonicalJson(one[field]) !== canonicalJson(other[field]))
}

/**
 * Whether a call waits for a person. By default it does unless the tool only reads or says that it destroys nothing; an
 * agent adds tools by name. An empty list that is written out means nobody is asked.
 */
export const needsPerson = (
  { name, hints }: Pick<ToolManifest, 'name' | 'hints'>,
  requireApproval: readonly string[] | undefined,
): boolean => {
  if (requireApproval?.length === 0) return false
  return (!hints.read_only && hints.destructive) || (requireApproval?.includes(name) ?? false)
}

/** The server says that a repeated call is harmless. Read from an approved manifest only. */
export const isRepeatable = ({ hints }: Pick<ToolManifest, 'hints'>): boolean => hints.read_only || hints.idempotent

/**
 * The other name that a person could take this one for, or null. Names consist of ASCII characters, so letter case,
 * separators and a few shapes remain.
 */
export const lookAlikeOf = (name: string, others: Iterable<string>): string | null => {
  const shape = shapeOf(name)
  for (const other of others) if (other !== name && shapeOf(other) === shape) return other
  return null
}

const shapeOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[._/-]/g, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll(/[1i|]/g, 'l')
    .replaceAll('0', 'o')

const faultOfName = (name: string): string | undefined => {
  if (name.length > maxNameChars) return `its name is longer than ${maxNameChars} characters`
  return /^[A-Za-z0-9_./-]+$/.test(name)
    ? undefined
    : 'its name may contain only ASCII letters, digits and _ . / -, because other characters can look like these'
}

const maxNameChars = connectorsBounds.toolName.chars

const faultOfOutput = (schema: ListedTool['outputSchema'], limits: SchemaLimits): string | undefined => {
  if (schema === undefined) return
  if (isDeeperThan(schema, limits.maxSchemaDepth))
    return `its output schema is deeper than ${limits.maxSchemaDepth} levels`
  return Buffer.byteLength(JSON.stringify(schema)) > limits.maxSchemaBytes
    ? `its output schema is larger than ${limits.maxSchemaBytes} bytes`
    : undefined
}

const cutTo = (text: string, mostBytes: number): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= mostBytes) return text
  // The cut may have split the last character.
  const kept = bytes.subarray(0, mostBytes - Buffer.byteLength('…')).toString()
  return `${kept.replace(/\uFFFD+$/, '')}…`
}
