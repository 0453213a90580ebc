import { canonicalJson } from '@ars/platform/crypto'
import { type Change, changesAt, mergeObjects } from '../../content-change.ts'
import type { PipelineDefinition } from '../definition.ts'
import type { PipelineContent } from './pipeline.ts'

/** Undefined: the field is omitted and stays. */
export type PipelinePatch = {
  name?: string | undefined
  description?: string | null | undefined
  definition?: PipelineDefinition | undefined
}

/** A definition is replaced as a whole: a merged one would be a graph that nobody wrote. */
export const patchPipeline = (old: PipelineContent, patch: PipelinePatch): PipelineContent => ({
  name: patch.name ?? old.name,
  description: patch.description === undefined ? old.description : patch.description,
  definition: patch.definition ?? old.definition,
})

type Metadata = Readonly<Record<string, string>>

/** Given pairs are merged; null removes one pair, or all. */
export const patchMetadata = (
  old: Metadata,
  patch: Readonly<Record<string, string | null>> | null | undefined,
): Record<string, string> => (patch === null ? {} : (mergeObjects(old, patch ?? {}) as Record<string, string>))

export const isSamePipeline = (one: PipelineContent, other: PipelineContent): boolean =>
  canonicalJson(contentOf(one)) === canonicalJson(contentOf(other))

/** The differences, field by field. Steps are compared by their keys; `definition.steps` has the keys if they or their order differ. */
export const pipelineChanges = (old: PipelineContent, next: PipelineContent): Change[] => [
  ...changesAt('name', [old.name, next.name], isWhole),
  ...changesAt('description', [old.description, next.description], isWhole),
  ...changesAt('definition.steps', [keysOf(old), keysOf(next)], isWhole),
  ...changesAt('definition.steps', [stepsOf(old), stepsOf(next)], isWhole),
  ...changesAt('definition.output', [old.definition.output, next.definition.output], isWhole),
]

/** For the audit log: which fields and steps have changed, without names inside of steps. */
export const changedParts = (changes: readonly Change[]): string[] => [
  ...new Set(changes.map(({ path }) => path.split('.').slice(0, 3).join('.'))),
]

const contentOf = ({ name, description, definition }: PipelineContent): PipelineContent => ({
  name,
  description,
  definition,
})

const keysOf = ({ definition }: PipelineContent): string[] => definition.steps.map(({ key }) => key)

const stepsOf = ({ definition }: PipelineContent): Record<string, unknown> =>
  Object.fromEntries(definition.steps.map((step) => [step.key, step]))

// A part of a JSON Schema means nothing alone.
const isWhole = (path: string): boolean => /^definition\.steps\.[^.]+\.approval\.response_schema$/.test(path)
