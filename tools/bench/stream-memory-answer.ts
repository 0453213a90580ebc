import { renameSync, writeFileSync } from 'node:fs'

// Loaded into the processes whose memory is compared: cleans up on a signal and writes down what is left.
const file = process.env.BENCH_MEMORY_FILE
if (file) {
  process.on('SIGUSR2', () => {
    // The young generation grows with what was done, not with what is held, and an ordinary clean-up keeps its free pages;
    // this one gives them back.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()))
    renameSync(`${file}.new`, file)
  })
}
