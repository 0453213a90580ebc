import type { Config } from '@ars/core/config'
import { serverBounds } from '../bounds.ts'
import { ask } from './ask.ts'
import type { Finding } from './finding.ts'

const maxMs = serverBounds.metricsAsked.ms

/** Why the gateway of this environment has answered 503 since its start. It is information: the counters do not go down. */
export const checkRefusals = async ({ metricsHost, metricsPort }: Config): Promise<Finding> => {
  const what = 'refused requests'
  const host = metricsHost === '0.0.0.0' || metricsHost === '::' ? '127.0.0.1' : metricsHost
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${metricsPort}/metrics`
  const text = await ask(url, { maxMs }).then(
    (answer) => answer.text,
    () => null,
  )
  if (text === null) return { what, found: `unknown: no process of this environment shows its metrics at ${url}` }
  const reasons = reasonsIn(text)
  return { what, found: reasons.length === 0 ? 'none with 503 since its start' : `with 503: ${reasons.join(', ')}` }
}

const reasonsIn = (metrics: string): string[] =>
  [...metrics.matchAll(/^ars_requests_refused_total\{([^}]*)\} (\d+)/gm)]
    .map(([, labels = '', count = '']) => ({ labels, count: Number(count) }))
    .filter(({ labels }) => labels.includes('code="unavailable"'))
    .toSorted((a, b) => b.count - a.count)
    .map(({ labels, count }) => `${/reason="([^"]*)"/.exec(labels)?.[1] || 'unknown'} ${count}`)
