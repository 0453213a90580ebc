import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { findBinary } from '@ars/tools/dev/parts/binary'
import { familyOf } from '../../lab/measure/cpu.ts'

/** Samples processes that are not Node's with Linux `perf`, for as long as told; undefined where there is none. */
export const recordSymbols = async (
  head: number | undefined,
  file: string,
  seconds: number,
): Promise<string | undefined> => {
  const perf = findBinary(['perf'])
  if (!perf || head === undefined) return undefined
  try {
    const pids = familyOf(head).join(',')
    // The software clock: virtual machines rarely offer the hardware's counters.
    const record = ['record', ...'-q -e cpu-clock -F 499 -p'.split(' '), pids, '-o', file, 'sleep', String(seconds)]
    await promisify(execFile)(perf, record)
    return symbolsIn(perf, file)
  } catch {
    return undefined
  }
}

const maxSymbols = 30

const symbolsIn = (perf: string, file: string): string => {
  const args = ['report', ...'--stdio --no-children -q --sort dso,symbol --percent-limit 0.5 -i'.split(' '), file]
  const report = execFileSync(perf, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 * 1024,
  })
  const lines = report
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/(\s+-)+$/, '')
        .slice(0, 120),
    )
    .filter((line) => line !== '')
  return lines.slice(0, maxSymbols).join('\n')
}
