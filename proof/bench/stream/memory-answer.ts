import { renameSync, writeFileSync } from 'node:fs'

// Loaded into the processes whose memory is compared: collects garbage on a signal and writes down the live memory.
const file = process.env.BENCH_MEMORY_FILE
if (file) {
  process.on('SIGUSR2', () => {
    // The young generation grows with the work done, not with live memory, and an ordinary collection keeps its free pages;
    // this one gives them back.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()))
    renameSync(`${file}.new`, file)
  })
}
