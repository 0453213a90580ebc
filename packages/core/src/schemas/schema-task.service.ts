import { rememberRecent } from '@ars/platform/recent'
import type { TaskHandlers } from '@ars/platform/thread'
import { schemasBounds } from './bounds.ts'
import type { ValueFault } from './schema-fault.ts'
import type { JsonSchema } from './survey.ts'
import { createValidator } from './validator.ts'

/** What the threads of the pool do for this slice. JSON texts are cheaper to hand over than objects. */
export type SchemaTask = { schema: string; value?: string }

export type SchemaResult = { problems: string[] } | { faults: ValueFault[] }

const maxKnownTexts = schemasBounds.textsKnown.count

export const createSchemaTasks = (): {
  tasks: TaskHandlers
  /** For other tasks of the thread, so that it has one store of compiled schemas. */
  hasFaults(schema: JsonSchema, value: unknown): boolean
} => {
  // Parsed once, because the weight of a schema is remembered by its object.
  const schemaOf = rememberRecent(maxKnownTexts, (text) => JSON.parse(text) as JsonSchema)

  let onCompiled: () => void = () => undefined
  const validator = createValidator({ onCompiled: () => onCompiled() })
  // The first schema compiles the meta-schema, which no task should pay for.
  validator.problemsOf({})

  const tasks: TaskHandlers = {
    'schemas.check': (payload, progress): SchemaResult => {
      const { schema: text, value } = payload as SchemaTask
      onCompiled = () => progress('compiled')
      const schema = schemaOf(text)
      if (value === undefined) return { problems: validator.problemsOf(schema) }
      return { faults: validator.faultsOf(schema, JSON.parse(value)) }
    },
  }
  return {
    tasks,
    hasFaults: (schema, value) => {
      onCompiled = () => undefined
      return validator.faultsOf(schema, value).length > 0
    },
  }
}
