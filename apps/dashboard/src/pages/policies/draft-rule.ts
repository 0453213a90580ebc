import { type PolicyAction, type PolicyCheck, policyActions, policyChecks } from '@agent-run-service/sdk'

/** A rule that is being written and is complete enough for controls. Fields that they do not know are kept. */
export type DraftRule = {
  check: PolicyCheck
  stages: readonly string[]
  action: PolicyAction
  params: Readonly<Record<string, unknown>>
}

/** Null: only the JSON can show it. */
export const draftRule = (rule: unknown): DraftRule | null => {
  if (typeof rule !== 'object' || rule === null) return null
  const { check, stages, action, params = {} } = rule as Record<string, unknown>
  const known = policyChecks.find((each) => each === check)
  const act = policyActions.find((each) => each === action)
  if (!known || !act || !Array.isArray(stages) || !stages.every((each) => typeof each === 'string')) return null
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return null
  return { ...rule, check: known, action: act, stages, params: params as DraftRule['params'] }
}

export type SimpleParam = { name: string; label: string; kind: 'text' | 'long' | 'lines' | 'number' | 'kinds' }

/** The parameters that have controls. */
export const simpleParams: Readonly<Record<PolicyCheck, readonly SimpleParam[]>> = {
  regex: [{ name: 'pattern', label: 'Pattern', kind: 'text' }],
  keywords: [{ name: 'words', label: 'Words', kind: 'lines' }],
  pii: [{ name: 'kinds', label: 'Personal data', kind: 'kinds' }],
  secrets: [],
  json_schema: [],
  url_allow: [{ name: 'hosts', label: 'Allowed hosts', kind: 'lines' }],
  max_length: [{ name: 'chars', label: 'Most characters', kind: 'number' }],
  expression: [
    { name: 'expression', label: 'Expression', kind: 'long' },
    { name: 'message', label: 'Reason, for people', kind: 'text' },
  ],
  model: [
    { name: 'model', label: 'Model', kind: 'text' },
    { name: 'instructions', label: 'What it shall find', kind: 'long' },
  ],
  http: [{ name: 'url', label: 'URL', kind: 'text' }],
  presidio: [{ name: 'url', label: 'URL', kind: 'text' }],
}

export const linesOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

export const textOfLines = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '')
