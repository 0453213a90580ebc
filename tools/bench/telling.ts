import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** What every bench says while it goes on, and where its report goes. */
export function tell(words: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${words}`)
}

type Reporting = { reportFile: string | undefined }

export function writeReport(options: Reporting, report: string): void {
  console.log(`\n${report}`)
  keepReport(options, report)
  if (options.reportFile) console.log(`Written to ${options.reportFile}`)
}

/** In its file only, for one that is not finished yet. */
export function keepReport({ reportFile }: Reporting, report: string): void {
  if (!reportFile) return
  mkdirSync(dirname(reportFile), { recursive: true })
  writeFileSync(reportFile, report)
}
