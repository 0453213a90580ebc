import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { releaseFile } from '@ars/platform/release-files'
import { dryRun, type ModelList, problemsOfScript } from '../models/index.ts'
import { type JsonSchema, toSentences, type Validator } from '../schemas/index.ts'
import { catalogBounds } from './bounds.ts'
import type { CatalogEntry } from './catalog.ts'
import { type FileFault, type ParsedFile, parseCatalogFile } from './catalog-file.ts'

export const catalogLimits = {
  filesPerFolder: catalogBounds.files.count,
  bytesPerFile: catalogBounds.file.bytes,
  foldersMax: catalogBounds.folders.count,
} as const

/** The agents that are part of the service. */
export const builtInCatalogFolder = releaseFile('catalog')

/** One file: its agent, or all its faults. */
export type FileReport = { file: string; entry: CatalogEntry | null; faults: readonly FileFault[] }

export type CatalogChecks = {
  /** The operator's files are checked directly: they are trusted, and a start must not fail because the machine is busy. */
  validator: Validator
  /** Null: the existing models are unknown here, so none is reported as missing. */
  models: ModelList | null
}

/** Reads and checks every `.yaml` file of a folder, in the order of their names. An unreadable folder is one report. */
export const readCatalogFolder = (folder: string, checks: CatalogChecks): FileReport[] => {
  const names = namesIn(folder)
  if (names === null) return [broken(folder, 'cannot be read: is it a folder, and may the service read it?')]
  const yml = names.filter((name) => name.endsWith('.yml'))
  const files = names.filter((name) => name.endsWith('.yaml'))
  if (files.length > catalogLimits.filesPerFolder) {
    return [broken(folder, `holds ${files.length} files; ${catalogLimits.filesPerFolder} are read at the most`)]
  }
  return [
    ...yml.map((name) => broken(join(folder, name), 'is not read: its name must end in .yaml')),
    ...files.map((name) => readFile(join(folder, name), checks)),
  ]
}

/** `file, path (line n): message`, as the models file does. */
export const faultText = (file: string, { line, path, message }: FileFault): string =>
  `${[file, path].filter((part) => part !== '').join(', ')}${line === null ? '' : ` (line ${line})`}: ${message}`

// Files that begin with a dot belong to an editor or to the mount of the folder.
const namesIn = (folder: string): string[] | null => {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.') && /\.ya?ml$/.test(name))
      .sort()
  } catch {
    return null
  }
}

const readFile = (file: string, checks: CatalogChecks): FileReport => {
  const text = textOf(file)
  if ('message' in text) return broken(file, text.message)
  const parsed = parseCatalogFile(text.text, basename(file, '.yaml'))
  if ('faults' in parsed) return { file, entry: null, faults: parsed.faults }
  const faults = faultsOf(parsed, checks)
  return faults.length === 0 ? { file, entry: parsed.entry, faults } : { file, entry: null, faults }
}

const textOf = (file: string): { text: string } | { message: string } => {
  try {
    if (statSync(file).size > catalogLimits.bytesPerFile) {
      return { message: `is larger than ${catalogLimits.bytesPerFile} bytes` }
    }
    return { text: readFileSync(file, 'utf8') }
  } catch {
    return { message: 'cannot be read' }
  }
}

const broken = (file: string, message: string): FileReport => ({
  file,
  entry: null,
  faults: [{ line: null, path: '', message }],
})

/** Checks beyond parsing: models exist, schemas compile, samples are valid, the script can be played. */
const faultsOf = ({ entry, faultAt }: ParsedFile, { validator, models }: CatalogChecks): FileFault[] => {
  const faults: FileFault[] = []
  const { model } = entry.config
  if (models && !models.find(model)) faults.push(faultAt(['config', 'model'], `${model} is not in the models file`))
  for (const side of ['input', 'output'] as const) {
    const schema = entry[`${side}_schema`]
    const sample = entry[`sample_${side}`]
    if (!schema) continue
    const problems = validator.problemsOf(schema)
    faults.push(...problems.map((problem) => faultAt([`${side}_schema`], problem)))
    if (problems.length > 0 || !sample) continue
    const misfits = misfitsOf(validator, schema, sample)
    faults.push(...misfits.map((misfit) => faultAt([`sample_${side}`, ...pathIn(misfit, sample)], misfit)))
  }
  if (!entry.simulated) return faults
  const problems = problemsOfScript(entry.simulated)
  faults.push(...problems.map(({ path, message }) => faultAt(['simulated', ...path], message)))
  if (faults.length > 0) return faults
  return misplayOf(entry, validator).map((problem) => faultAt(['simulated'], problem))
}

/** The script is played with the sample, because users without a model begin with it. */
const misplayOf = ({ simulated, sample_input, output_schema }: CatalogEntry, validator: Validator): string[] => {
  const played = dryRun(simulated, sample_input)
  if ('problem' in played) return [played.problem]
  if (!output_schema) return []
  const said = played.output ?? jsonOf(played.text)
  if (said === undefined) return ['its last words are not JSON, as output_schema wants; use json:']
  return misfitsOf(validator, output_schema, said).map(
    (misfit) => `what it answers to sample_input does not fit output_schema: ${misfit}`,
  )
}

const misfitsOf = (validator: Validator, schema: JsonSchema, value: unknown): string[] =>
  toSentences(validator.faultsOf(schema, value))

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The message begins with the location in the sample, `items.0.name must …`, unless it concerns the whole sample. */
const pathIn = (misfit: string, sample: Record<string, unknown>): string[] => {
  const path = (misfit.split(' ')[0] ?? '').split('.')
  return Object.hasOwn(sample, path[0] ?? '') ? path : []
}
