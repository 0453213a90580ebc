import type { TextGuard } from '../src/guardrails/index.ts'

/** As without policies. */
export const unguardedTexts: TextGuard = {
  judge: async (_, { content }) => ({ kind: 'fits', content }),
  require: async (_, { content }) => content,
}
