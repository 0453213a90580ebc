import { expect, test } from 'vitest'
import type { Span } from '../rule.ts'
import { corpusSeed, makeCorpus } from './corpus.fixture.ts'
import { createPiiCheck } from './pii-check.ts'
import { createSecretCheck } from './secret-check.ts'

const checks = [createPiiCheck({ kinds: [], countries: ['US'] }), createSecretCheck()]

type Score = { right: number; missed: number; wrong: number; examples: string[] }

const scoresOf = (seed: number): Map<string, Score> => {
  const scores = new Map<string, Score>()
  const scoreOf = (kind: string): Score => {
    const score = scores.get(kind) ?? { right: 0, missed: 0, wrong: 0, examples: [] }
    scores.set(kind, score)
    return score
  }
  for (const line of makeCorpus(seed)) {
    const found = checks.flatMap((check) => check.find(line.text))
    const isRight = ({ start, end, kind }: Span) => kind === line.kind && start < line.end && end > line.start
    const covered = found.filter(isRight).reduce((sum, { start, end }) => sum + end - start, 0)
    if (line.kind !== null) {
      const score = scoreOf(line.kind)
      const isFound = covered >= 0.9 * (line.end - line.start)
      score[isFound ? 'right' : 'missed']++
      if (!isFound) score.examples.push(`missed: ${line.text.slice(0, 120)}`)
    }
    for (const span of found.filter((span) => !isRight(span))) {
      scoreOf(span.kind).wrong++
      scoreOf(span.kind).examples.push(`wrong: ${line.text.slice(span.start, span.end)} in ${line.text.slice(0, 120)}`)
    }
  }
  return scores
}

test('of a labelled corpus nearly everything is found, and nearly nothing else', () => {
  expect(makeCorpus().length).toBeGreaterThanOrEqual(2_000)
  expect(makeCorpus()).toEqual(makeCorpus(corpusSeed))
  const kinds = ['EMAIL', 'PHONE', 'CARD', 'IBAN', 'IP', 'NATIONAL_ID', 'SECRET']
  for (const seed of [corpusSeed, 1, 2]) {
    const scores = scoresOf(seed)
    for (const kind of kinds) {
      const { right, missed, wrong, examples } = scores.get(kind) ?? { right: 0, missed: 1, wrong: 0, examples: [] }
      const [recall, precision] = [right / (right + missed), right / (right + wrong)]
      console.info(`seed ${seed} ${kind}: recall ${recall.toFixed(4)}, precision ${precision.toFixed(4)}`)
      expect(recall, examples.slice(0, 12).join('\n')).toBeGreaterThanOrEqual(0.98)
      expect(precision, examples.slice(0, 12).join('\n')).toBeGreaterThanOrEqual(0.95)
    }
  }
})
