import { ConnectorId, CreateAgent, limits } from '@ars/contract'
import { validate } from '@ars/platform/validation'
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { z } from 'zod'
import { type CatalogEntry, type CatalogLimits, scriptModel } from './catalog.ts'

/** A fault of a file and its location. */
export type FileFault = { line: number | null; path: string; message: string }

export type ParsedFile = {
  entry: CatalogEntry
  /** A fault at this location of the file, for later checks. */
  faultAt(path: readonly PropertyKey[], message: string): FileFault
}

/** `key` is the file name without `.yaml`: one file is one agent. */
export const parseCatalogFile = (text: string, key: string): ParsedFile | { faults: FileFault[] } => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const faultAt: ParsedFile['faultAt'] = (path, message) => ({
    line: lineOf(document.contents, path),
    path: path.map(String).join('.'),
    message,
  })
  const lineOf = (root: Node | null, path: readonly PropertyKey[]): number | null => {
    let node: unknown = root
    let offset: number | null = null
    for (const name of path) {
      if (isAlias(node)) node = node.resolve(document)
      if (isMap(node)) {
        const pair = node.items.find(({ key: named }) => isScalar(named) && String(named.value) === String(name))
        if (!pair || !isScalar(pair.key)) break
        offset = pair.key.range?.[0] ?? offset
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(name)]
        offset = (node as Node | undefined)?.range?.[0] ?? offset
      } else break
    }
    return offset === null ? null : lines.linePos(offset).line
  }
  if (document.errors.length > 0) {
    return {
      faults: document.errors.map(({ pos, message }) => ({ line: lines.linePos(pos[0]).line, path: '', message })),
    }
  }
  // Inside braces a comma ends an unquoted text, and the rest becomes an unintended key.
  const empty: FileFault[] = []
  visit(document, {
    Pair: (_, { key: named, value }) => {
      if (!isScalar(named) || (value !== null && !(isScalar(value) && value.source === ''))) return
      const line = named.range ? lines.linePos(named.range[0]).line : null
      empty.push({
        line,
        path: String(named.value),
        message: 'has no value; write null, or put quotes around the text',
      })
    },
  })
  if (empty.length > 0) return { faults: empty }
  const read = readValue(() => document.toJS())
  if ('message' in read) return { faults: [faultAt([], read.message)] }
  const parsed = validate(FileSchema, read.value)
  if (!('data' in parsed)) return { faults: parsed.faults.map(({ path, message }) => faultAt(path, message)) }
  const { simulated = null, sample_output = null, ...file } = parsed.data
  const faults: FileFault[] = []
  if (file.key !== key) faults.push(faultAt(['key'], `must be ${key}, because the file is called ${key}.yaml`))
  if (file.config.model === scriptModel && !simulated) {
    faults.push(faultAt(['config', 'model'], `needs simulated: beside it, the script that ${scriptModel} plays`))
  }
  if (file.output_schema && !sample_output) faults.push(faultAt(['output_schema'], 'needs sample_output: beside it'))
  if (faults.length > 0) return { faults }
  return { entry: { ...file, kind: 'llm', simulated, sample_output }, faultAt }
}

// An endlessly growing alias is detected only when the values are built.
const readValue = (read: () => unknown): { value: unknown } | { message: string } => {
  try {
    return { value: read() }
  } catch (error) {
    return { message: error instanceof Error ? error.message : 'cannot be read' }
  }
}

const withoutNulls = (given: Readonly<Record<string, unknown>> = {}): CatalogLimits =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'number'))

const JsonObject = z.record(z.string(), z.unknown())

const Config = z.strictObject({
  model: z
    .string()
    .max(200)
    .regex(/^[a-z][a-z0-9-]{0,31}\/[^\s*]+$/, 'must look like provider/model'),
  instructions: z.string().min(1).max(limits.instructionsChars).optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_output_tokens: z.int().min(1).max(1_000_000).optional(),
  tools: z
    .array(
      z.strictObject({
        connector_id: ConnectorId,
        allow: z.array(z.string().min(1)).optional(),
        require_approval: z.array(z.string().min(1)).optional(),
      }),
    )
    .max(limits.toolsPerAgent)
    .optional(),
})

const FileSchema = z.strictObject(
  {
    key: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be small letters, digits and hyphens, at most 64'),
    version: z.int().min(1).max(1_000_000),
    name: z.string().min(1).max(limits.agentNameChars),
    description: z.string().min(1).max(limits.agentDescriptionChars),
    category: z.string().regex(/^[a-z][a-z-]{0,31}$/, 'must be small letters and hyphens, at most 32'),
    config: Config,
    input_schema: JsonObject.nullable().default(null),
    output_schema: JsonObject.nullable().default(null),
    limits: CreateAgent.shape.limits.transform(withoutNulls),
    needs_connector: z.boolean().default(false),
    sample_input: JsonObject,
    sample_output: JsonObject.nullable().optional(),
    // Checked turn by turn, with the messages of scripts.
    simulated: z.array(z.unknown()).optional(),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'must hold the fields of a catalog agent' : undefined) },
)
