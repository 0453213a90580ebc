import type { ServerPart } from '@ars/tools/dev/server'

/** How many steps a worker has finished so far, by what became of them. */
export const countStepsOf = async ({ metricsUrl }: Pick<ServerPart, 'metricsUrl'>): Promise<Map<string, number>> => {
  const answer = await fetch(`${metricsUrl}/metrics`, { signal: AbortSignal.timeout(5000) })
  return parseStepCounts(await answer.text())
}

export const parseStepCounts = (exposition: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const [, labels = '', value] of exposition.matchAll(/^ars_step_duration_seconds_count\{([^}]*)\} (\S+)/gm)) {
    const word = /\bword="(\w+)"/.exec(labels)?.[1] ?? 'unknown'
    counts.set(word, (counts.get(word) ?? 0) + Number(value))
  }
  return counts
}
