import type { Facts, Stage } from '../rule.ts'
import { changedSpan, type RemoteVerdict, reasonOf } from './remote.ts'

/** The generic guardrail API of LiteLLM, which several vendors of guardrails implement. */
export const wirePath = '/beta/litellm_basic_guardrail_api'

/** What comes from the model is a response; everything else is a request to it. */
const inputTypes: Readonly<Record<Stage, 'request' | 'response'>> = {
  input: 'request',
  action_payload: 'request',
  tool_result: 'request',
  tool_call: 'response',
  output: 'response',
}

export const wireRequestOf = (text: string, { stage, agent, tool }: Facts): Record<string, unknown> => ({
  texts: [text],
  // Required by the wire; it would hold the caller's identity.
  request_data: {},
  input_type: inputTypes[stage],
  ...(tool && stage === 'tool_call' && { tool_calls: [toolCallOf(tool)] }),
  additional_provider_specific_params: {
    stage,
    agent_id: agent.id,
    agent_version: agent.version,
    ...(tool && { tool_name: tool.name }),
  },
})

const toolCallOf = ({ name, args }: NonNullable<Facts['tool']>) => ({
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})

export const verdictOfWire = (answer: unknown, text: string): RemoteVerdict => {
  const { action, blocked_reason, texts } = (answer ?? {}) as Partial<WireAnswer>
  const blocked = (reason: unknown) => reasonOf(reason, text, 'The guardrail server blocked it')
  switch (action) {
    case 'NONE':
      return { kind: 'pass' }
    case 'BLOCKED':
      return { kind: 'violation', reason: blocked(blocked_reason) }
    case 'GUARDRAIL_INTERVENED': {
      const [replacement, ...others] = Array.isArray(texts) ? texts : []
      if (typeof replacement !== 'string' || others.length > 0)
        return { kind: 'error', message: 'The guardrail server intervened without one replaced text' }
      if (replacement === text) return { kind: 'pass' }
      const reason = reasonOf(blocked_reason, text, 'The guardrail server replaced a part of it')
      return { kind: 'violation', reason, spans: [changedSpan(text, replacement)], replacement }
    }
    default:
      return { kind: 'error', message: 'The guardrail server answered without a known action' }
  }
}

type WireAnswer = { action: unknown; blocked_reason: unknown; texts: unknown }
