import { useEffect, useState } from 'react'
import { distance, moment } from './format.ts'
import { usePreferences } from './preferences.ts'
import { Tooltip } from './tooltip.tsx'

/** A time of the API. The tooltip has the exact one in UTC and the distance from now. */
export const Time = ({ at, isRelative }: { at: string | null | undefined; isRelative?: boolean }) => {
  const { zone } = usePreferences()
  if (!at) return <span className="text-ink-3">–</span>
  const nowMs = Date.now()
  const timeZone = zone === 'utc' ? 'UTC' : undefined
  return (
    <Tooltip text={`${at}\n${distance(at, nowMs)}`}>
      <time dateTime={at} className="num relative z-10 whitespace-nowrap">
        {isRelative ? distance(at, nowMs) : moment(at, timeZone, nowMs)}
      </time>
    </Tooltip>
  )
}

/** The time now, every `everyMs`, while something moves. */
export const useNow = (everyMs: number, isTicking = true): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isTicking) return
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs, isTicking])
  return now
}
