import { readFileSync } from 'node:fs'

/** What a process costs, as Linux counts it. */
export const residentBytes = (pid: number): number => {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** Time on the processor since the process began. */
export const processorMs = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name, in brackets, may hold spaces; what follows it does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * ticksMs
}

/** Linux counts in hundredths of a second, on every machine that we know. */
const ticksMs = 10
