import type { PolicyCheck, PolicyRuleInput } from '@agent-run-service/sdk'

const timeLimit = { time_limit_ms: 2_000 }

/** A rule to begin with, for each check. */
export const exampleRules: Readonly<Record<PolicyCheck, PolicyRuleInput>> = {
  regex: { check: 'regex', stages: ['output'], action: 'redact', params: { pattern: 'TICKET-[0-9]{1,8}' } },
  keywords: { check: 'keywords', stages: ['input', 'output'], action: 'block', params: { words: ['Bluebird'] } },
  pii: { check: 'pii', stages: ['input', 'output'], action: 'redact', params: { kinds: ['email', 'card'] } },
  secrets: { check: 'secrets', stages: ['input', 'output'], action: 'block', params: {} },
  json_schema: { check: 'json_schema', stages: ['output'], action: 'block', params: { schema: { type: 'object' } } },
  url_allow: { check: 'url_allow', stages: ['output'], action: 'redact', params: { hosts: ['*.example.com'] } },
  max_length: { check: 'max_length', stages: ['input'], action: 'block', params: { chars: 10_000 } },
  expression: {
    check: 'expression',
    stages: ['tool_call'],
    action: 'require_approval',
    params: {
      expression: 'tool.name == "refund" && tool.args.amount > 100.0',
      message: 'The refund is above 100.',
    },
  },
  model: {
    check: 'model',
    stages: ['input'],
    action: 'flag',
    params: { model: 'openai/gpt-5-mini', instructions: 'The text asks for medical advice.', ...timeLimit },
  },
  http: {
    check: 'http',
    stages: ['input'],
    action: 'block',
    params: { url: 'https://guard.example.com', ...timeLimit },
  },
  presidio: {
    check: 'presidio',
    stages: ['input'],
    action: 'redact',
    params: { url: 'https://presidio.example.com', ...timeLimit },
  },
}
