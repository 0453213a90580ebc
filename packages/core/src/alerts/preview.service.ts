import { setImmediate } from 'node:timers/promises'
import type { AlertPreview, PreviewAlertRule } from '@ars/contract'
import type { MetricMinute } from '../usage/index.ts'
import { minuteMs, spanOf, type TimeSpan } from './alert-metric.ts'
import { decide, quiet } from './alert-rule.ts'
import { alertsBounds } from './bounds.ts'
import { addMinute, noSums, readSums, removeMinute } from './metric-window.service.ts'

const maxPeriods = alertsBounds.periodsTold.count
const pauseEveryMs = 6 * 3_600_000

type Period = { from: Date; to: Date | null; peak: number }

/**
 * When the rule would have fired in the span, evaluated at the end of every minute. The minutes are in order of time. Other
 * requests are served in between, because a week of percentiles takes some tenths of a second.
 */
export const previewOf = async (
  rule: Omit<PreviewAlertRule, 'agent_id'>,
  minutes: readonly MetricMinute[],
  { from, to }: TimeSpan,
): Promise<AlertPreview> => {
  const sums = noSums()
  const periods: Period[] = []
  let standing = quiet
  let entering = 0
  let leaving = 0
  for (let at = from.getTime() + minuteMs; at <= to.getTime(); at += minuteMs) {
    if (at % pauseEveryMs === 0) await setImmediate()
    const span = spanOf(rule, new Date(at))
    for (let next = minutes[entering]; next && next.minute < span.to; next = minutes[++entering])
      addMinute(sums, rule, next)
    for (let next = minutes[leaving]; next && next.minute < span.from; next = minutes[++leaving])
      removeMinute(sums, rule, next)
    const { value } = readSums(sums, rule, span)
    const decision = decide(rule, standing, { value, at: span.to })
    standing = decision.standing
    if (decision.transition === 'fires') periods.push({ from: span.to, to: null, peak: value ?? rule.threshold })
    const open = periods.at(-1)
    if (open?.to !== null) continue
    if (decision.transition === 'resolves') open.to = span.to
    else if (value !== null)
      open.peak = rule.operator === 'above' ? Math.max(open.peak, value) : Math.min(open.peak, value)
  }
  return {
    object: 'alert_preview',
    from: from.toISOString(),
    to: to.toISOString(),
    fired: periods.length,
    periods: periods.slice(-maxPeriods).map((period) => ({
      from: period.from.toISOString(),
      to: period.to?.toISOString() ?? null,
      peak: period.peak,
    })),
  }
}
