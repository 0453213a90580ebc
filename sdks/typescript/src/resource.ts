import { apiCall } from './api-call.ts'
import { type Caller, type Invocation, type Operation, requestOf } from './invocation.ts'
import { type ListBody, listPages } from './page.ts'
import { idOf, namesIn, type Params } from './query.ts'
import { createRunStream } from './run-stream.ts'
import { eventStream, runStreamPlan } from './stream-call.ts'

export type { Caller } from './invocation.ts'

/**
 * Creates a method for each operation: path parameters in order, then parameters, then options. The types of the
 * methods are generated.
 */
export const resourceOf = <Resource>(caller: Caller, operations: Readonly<Record<string, Operation>>): Resource =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, methodOf(caller, operation)]),
  ) as Resource

const methodOf =
  (caller: Caller, operation: Operation) =>
  (...given: unknown[]): unknown => {
    const names = namesIn(operation.path)
    const ids = Object.fromEntries(names.map((name, n) => [name, idOf(name, given[n])]))
    const [params, options] = operation.takes ? given.slice(names.length) : [undefined, given[names.length]]
    const call: Invocation = { caller, operation, ids, params: (params ?? {}) as Params, options: options ?? {} }
    if (operation.answers === 'list') return list(call)
    if (operation.answers === 'record') return apiCall(caller.transport.read(requestOf(call)))
    return operation.answers === 'run_stream' ? createRunStream(runStreamPlan(call)) : eventStream(call)
  }

const list = (call: Invocation) =>
  listPages<unknown>(call.params, async (params) => {
    const { data, response } = await call.caller.transport.read(requestOf({ ...call, params }))
    return { data: data as ListBody<unknown>, response }
  })
