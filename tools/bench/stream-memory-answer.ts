import { renameSync, writeFileSync } from 'node:fs'

// Loaded into the processes whose memory is compared: cleans up on a signal and writes down what is left.
const file = process.env.BENCH_MEMORY_FILE
if (file) {
  process.on('SIGUSR2', () => {
    globalThis.gc?.()
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()))
    renameSync(`${file}.new`, file)
  })
}
