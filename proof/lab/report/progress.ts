import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { dirname } from 'node:path'

/** A line of progress, with the time. */
export const tell = (words: string): void => {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${words}`)
}

/** Of the last minute: a report says how busy the machine was. */
export const loadAverage = (): number => loadavg()[0] ?? Number.NaN

type Reporting = { reportFile: string | undefined }

export const writeReport = (options: Reporting, report: string): void => {
  console.log(`\n${report}`)
  keepReport(options, report)
  if (options.reportFile) console.log(`Written to ${options.reportFile}`)
}

/** Writes the file without printing, for a report that is not finished yet. */
export const keepReport = ({ reportFile }: Reporting, report: string): void => {
  if (!reportFile) return
  mkdirSync(dirname(reportFile), { recursive: true })
  writeFileSync(reportFile, report)
}
