import type { JsonSchema } from '@agent-run-service/sdk/schemas'
import { useEffect, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { refusalsOf } from '../../api/problem.ts'
import type { Schema } from '../../ui/schema-form/schema-fields.ts'
import { problemsOf } from '../../ui/schema-form/schema-problems.ts'
import { type AgentFields, type FieldFault, fieldOfPath } from './agent-fields.ts'

/** The mistakes of the form: found before sending, or named by the service. Editing a field removes its own. */
export const useFaults = (form: UseFormReturn<AgentFields>, schema: JsonSchema) => {
  const [faults, setFaults] = useState<readonly FieldFault[]>([])
  const [problem, setProblem] = useState<unknown>(null)
  useEffect(() => {
    const { unsubscribe } = form.watch((_, { name }) => {
      if (name === undefined) return
      setFaults((was) => {
        const rest = was.filter(({ field }) => field !== name && !name.startsWith(`${field}.`))
        return rest.length === was.length ? was : rest
      })
    })
    return unsubscribe
  }, [form])
  return {
    faults,
    problem,
    /** Whether the body can be sent. */
    check: (own: readonly FieldFault[], body: unknown): boolean => {
      const found = own.length > 0 ? own : bodyFaults(schema, body)
      setFaults(found)
      setProblem(null)
      return found.length === 0
    },
    /** Puts the refusal at its fields. False if it names none: then it stands on top as a problem. */
    refuse: (error: unknown): boolean => {
      const named = refusalFaults(error)
      setFaults(named)
      setProblem(named.length === 0 ? error : null)
      return named.length > 0
    },
    clear: () => {
      setFaults([])
      setProblem(null)
    },
  }
}

/** What the service would refuse, by the schema of its contract. */
const bodyFaults = (schema: JsonSchema, body: unknown): readonly FieldFault[] =>
  Object.entries(problemsOf(schema as Schema, body)).map(([path, message]) =>
    faultAt(path.slice(1).replaceAll('/', '.'), message),
  )

/** The fields that an error of the service names. A version is no field of the form. */
const refusalFaults = (error: unknown): readonly FieldFault[] =>
  refusalsOf(error)
    .filter(({ param }) => param !== 'version')
    .map(({ param, message }) => faultAt(param, message))

const faultAt = (path: string, message: string): FieldFault => ({ field: fieldOfPath(path), message })
