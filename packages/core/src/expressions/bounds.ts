import type { Bounds } from '@ars/platform/bounds'

export const expressionsBounds = {
  expression: { chars: 2_000, atBound: 'refused: the expression is too long' },
  nodes: { count: 200, atBound: 'refused: the expression is too large' },
  loopDepth: { count: 2, atBound: 'refused: loops are nested too deeply' },
  elements: { count: 10_000, atBound: 'the evaluation fails' },
  elementsInAll: { count: 100_000, factors: ['loops', 'elements of a list'], atBound: 'the evaluation fails' },
  text: { chars: 2_097_152, atBound: 'the evaluation fails' },
  textInAll: { chars: 33_554_432, factors: ['texts', 'characters of a text'], atBound: 'the evaluation fails' },
  result: { chars: 8_388_608, atBound: 'the evaluation fails' },
  patternsKnown: { count: 500, atBound: 'the pattern that was used least lately is forgotten and compiled again' },
  placeholders: { count: 100, atBound: 'refused with 422 `config_invalid`' },
  rendered: { chars: 1_048_576, atBound: 'the step, or the run, fails' },
  namesTold: { count: 20, atBound: 'further names are not told' },
} satisfies Bounds
