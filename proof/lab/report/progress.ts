import { loadavg } from 'node:os'

/** A line of progress, with the time. */
export const tell = (words: string): void => {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${words}`)
}

/** Of the last minute: a report says how busy the machine was. */
export const loadAverage = (): number => loadavg()[0] ?? Number.NaN

export const printReport = (report: string): void => console.log(`\n${report}`)
