import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../fault.ts'
import type { InputTemplates } from '../prompts/index.ts'
import type { JsonSchema, Schemas } from '../schemas/index.ts'
import type { StepRequest } from './step-context.service.ts'

/** What a step computes in threads for a customer. Nobody waits for the response of a step, so it waits until a thread is free. */
export type StepChecks = {
  /** The faults of the output as sentences with paths. Empty: it is valid. */
  output(request: Asking, schema: JsonSchema, value: unknown): Promise<readonly string[]>
  /** The faults of a schema that the step has produced. */
  schema(request: Asking, schema: JsonSchema): Promise<readonly string[]>
  /** The input in the agent's template. */
  prompt(request: Asking, template: string, input: StepRequest['input']): ReturnType<InputTemplates['render']>
}

type Asking = Pick<StepRequest, 'org' | 'signal'>

const pauseMs = 500

export const createStepChecks = (
  schemas: Pick<Schemas, 'check' | 'checkSchema'>,
  templates: Pick<InputTemplates, 'render'>,
): StepChecks => {
  /** Ends with the run: its signal is aborted at the deadline. */
  const persist = async <Result>(signal: AbortSignal, check: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      signal.throwIfAborted()
      try {
        return await check()
      } catch (error) {
        if (!(error instanceof Fault && error.code === 'unavailable')) throw error
        await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
      }
    }
  }
  return {
    output: ({ org, signal }, schema, value) => persist(signal, () => schemas.check(org, schema, value)),
    schema: ({ org, signal }, schema) => persist(signal, () => schemas.checkSchema(org, schema)),
    prompt: ({ org, signal }, template, input) => persist(signal, () => templates.render(org, template, input)),
  }
}
