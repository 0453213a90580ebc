import { fromUuid } from '@ars/platform/id'
import type { SpanStart } from '@ars/platform/trace/tracer'

// All names of our spans and their attributes. Those without `ars.` are from the semantic conventions of OpenTelemetry, in the
// version of the address. Ids are the public ones, so that a search for `run_…` finds the trace.

export const spanSchemaUrl = 'https://opentelemetry.io/schemas/1.41.0'

/** Nothing else leaves the process. No attribute holds content: no input, output, prompt, argument, message, header or address. */
export const spanAttributes: ReadonlySet<string> = new Set([
  'ars.action.resolution',
  'ars.delivery.attempt',
  'ars.delivery.id',
  'ars.event.id',
  'ars.operation',
  'ars.organisation.id',
  'ars.request.id',
  'ars.run.id',
  'ars.segment',
  'ars.segment.result',
  'ars.step',
  'ars.tries',
  'ars.webhook.id',
  'error.type',
  'gen_ai.agent.id',
  'gen_ai.agent.version',
  'gen_ai.conversation.id',
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.finish_reasons',
  'gen_ai.response.model',
  'gen_ai.tool.name',
  'gen_ai.tool.type',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'mcp.method.name',
])

/** A run of an organisation, as UUIDs. */
type RunPlace = { readonly org: string; readonly run: string }

type Agent = { readonly id: string; readonly version: number; readonly kind: 'llm' | 'remote' }

const placeOf = ({ org, run }: RunPlace) => ({
  'ars.organisation.id': fromUuid('org', org),
  'ars.run.id': fromUuid('run', run),
})

/** A request that was admitted. Others have no span, so that nobody without a key can cause any. */
export const requestSpan = (request: {
  readonly operation: string
  readonly method: string
  readonly route: string
  readonly requestId: string
  readonly org: string | undefined
  readonly agoMs: number
}): SpanStart => ({
  name: `${request.method} ${request.route}`,
  kind: 'server',
  agoMs: request.agoMs,
  attributes: {
    'http.request.method': request.method,
    'http.route': request.route,
    'ars.operation': request.operation,
    'ars.request.id': request.requestId,
    'ars.organisation.id': request.org && fromUuid('org', request.org),
  },
})

/** From the offer of a run to the commit of its transaction. All later spans of the run stand under it. */
export const acceptSpan = (run: RunPlace & { readonly agentId: string }): SpanStart => ({
  name: 'accept',
  kind: 'producer',
  attributes: { ...placeOf(run), 'gen_ai.agent.id': fromUuid('ag', run.agentId) },
})

/** From the commit to the first claim of a worker: the queue, the admission and the engine. */
export const engineSpan = (run: RunPlace): SpanStart => ({ name: 'engine', kind: 'internal', attributes: placeOf(run) })

/** A part of a run in one process, from a start or resume to its end or the next wait. */
export const segmentSpan = (segment: RunPlace & { readonly segment: number }): SpanStart => ({
  name: 'segment',
  kind: 'consumer',
  attributes: { ...placeOf(segment), 'ars.segment': segment.segment },
})

/** What the agent does in a segment. */
export const invokeAgentSpan = (run: RunPlace, { id, version, kind }: Agent): SpanStart => {
  const agentId = fromUuid('ag', id)
  return {
    name: `invoke_agent ${agentId}`,
    // An agent that the customer operates is called over the network.
    kind: kind === 'remote' ? 'client' : 'internal',
    attributes: {
      ...placeOf(run),
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'agent-run-service',
      'gen_ai.agent.id': agentId,
      'gen_ai.agent.version': String(version),
      'gen_ai.conversation.id': fromUuid('run', run.run),
    },
  }
}

/** A call of a model, with its retries and fallbacks. `model` is `provider/model` of the agent. */
export const chatSpan = ({ model, step }: { readonly model: string; readonly step: number }): SpanStart => {
  const slash = model.indexOf('/')
  const name = model.slice(slash + 1)
  return {
    name: `chat ${name}`,
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': slash > 0 ? model.slice(0, slash) : '_OTHER',
      'gen_ai.request.model': name,
      'ars.step': step,
    },
  }
}

/** A call of a tool, with its retries. */
export const executeToolSpan = ({ name, step }: { readonly name: string; readonly step: number }): SpanStart => ({
  name: `execute_tool ${name}`,
  kind: 'client',
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.type': 'extension',
    'mcp.method.name': 'tools/call',
    'ars.step': step,
  },
})

/** The wait for a person, from the question to the decision that let the run go on. */
export const requiresActionSpan = (run: RunPlace & { readonly resolution: string }): SpanStart => ({
  name: 'requires_action',
  kind: 'internal',
  attributes: { ...placeOf(run), 'ars.action.resolution': run.resolution },
})

/** One attempt of a webhook delivery, with UUIDs. */
export const deliverySpan = (attempt: {
  readonly org_id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly delivery_id: string
  readonly number: number
}): SpanStart => ({
  name: 'deliver webhook',
  kind: 'client',
  attributes: {
    'http.request.method': 'POST',
    'ars.organisation.id': fromUuid('org', attempt.org_id),
    'ars.webhook.id': fromUuid('wh', attempt.webhook_id),
    'ars.event.id': fromUuid('evt', attempt.event_id),
    'ars.delivery.id': fromUuid('dlv', attempt.delivery_id),
    'ars.delivery.attempt': attempt.number,
  },
})
