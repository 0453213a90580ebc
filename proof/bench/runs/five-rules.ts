import { ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type ApiCall, apiCaller } from '../../lab/client/api-caller.ts'
import type { WorktreeService } from './worktree.ts'

const onTexts = { stages: ['input', 'output'] }

const rules = [
  { ...onTexts, check: 'pii', action: 'redact', params: { kinds: ['email', 'phone', 'card', 'iban'] } },
  { ...onTexts, check: 'secrets', action: 'block', params: {} },
  { ...onTexts, check: 'keywords', action: 'flag', params: { words: ['confidential', 'internal only', 'top secret'] } },
  { ...onTexts, check: 'regex', action: 'flag', params: { pattern: 'PRJ-[0-9]{4,6}' } },
  { ...onTexts, check: 'max_length', action: 'block', params: { chars: 100_000 } },
]

/** Attaches a policy with five deterministic rules to the organisation of a bench. */
export const attachFiveRules = async ({ stack, target }: Pick<WorktreeService, 'stack' | 'target'>): Promise<void> => {
  const api = apiCaller({ port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile) })
  const ask = async (method: ApiCall['method'], path: string, body?: unknown): Promise<{ id: string }> => {
    const { status, text } = await api.call({ method, path: `/v2${path}`, headers: target.headers, body })
    ok(status < 300, `${method} ${path} answered ${status}: ${text}`)
    return JSON.parse(text) as { id: string }
  }
  try {
    const { id } = await ask('POST', '/policies', { name: 'Five rules', rules })
    const organisation = await ask('GET', '/organisation')
    await ask('POST', `/policies/${id}/attachments`, { subject_id: organisation.id })
  } finally {
    api.close()
  }
}
