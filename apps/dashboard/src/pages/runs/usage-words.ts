import type { RunUsage } from '@agent-run-service/sdk'
import { count } from '../../ui/format.ts'

/** `2,807 in (1,152 cached) · 173 out (32 reasoning)` */
export const usageWords = (usage: RunUsage): string => {
  const kindsIn = kinds([
    [usage.cached_input_tokens, 'cached'],
    [usage.cache_write_tokens, 'written to a cache'],
  ])
  const kindsOut = kinds([[usage.reasoning_tokens, 'reasoning']])
  return `${count(usage.input_tokens)} in${kindsIn} · ${count(usage.output_tokens)} out${kindsOut}`
}

const kinds = (given: readonly (readonly [number, string])[]): string => {
  const used = given.filter(([tokens]) => tokens > 0).map(([tokens, kind]) => `${count(tokens)} ${kind}`)
  return used.length === 0 ? '' : ` (${used.join(', ')})`
}
