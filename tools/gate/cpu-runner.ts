import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, TestRunner } from 'vitest'
import { inSeconds, judge, maxFileUnits, maxTestUnits, measureUnitMs } from './cpu-limit.ts'

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the declaration of the library.
  interface TaskMeta {
    /** CPU of the test, or of all tests of the file, in units of `computeUnit`. */
    cpuUnits?: number
  }
}

/**
 * Of the thread that runs the tests. Other threads collect garbage, compile, and start for the first check of a schema: what they use
 * depends on the load and on the files before, and belongs to no test.
 */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Counts the CPU of each fast test, without its hooks, and fails a test that costs several times what it may. */
class CpuRunner extends TestRunner {
  #unitMs = 1

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file)
    this.#unitMs = measureUnitMs(cpuMs)
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const from = cpuMs()
    try {
      await TestRunner.getTestFn(test)()
    } finally {
      const usedMs = cpuMs() - from
      test.meta.cpuUnits = usedMs / this.#unitMs
      // The computer may have become slower since the file began: a test that is too expensive is judged by the unit of now too.
      if (judge(test.meta.cpuUnits, maxTestUnits) === 'fail') {
        this.#unitMs = Math.max(this.#unitMs, measureUnitMs(cpuMs))
        test.meta.cpuUnits = usedMs / this.#unitMs
      }
      const { file } = test as RunnerTask & { file: RunnerTestFile }
      file.meta.cpuUnits = (file.meta.cpuUnits ?? 0) + test.meta.cpuUnits
    }
    const { cpuUnits } = test.meta
    const ofFile = test.file.meta.cpuUnits ?? 0
    if (judge(cpuUnits, maxTestUnits) === 'fail') {
      throw new Error(
        `This test cost ${inSeconds(cpuUnits)} of CPU, a fast one may cost ${inSeconds(maxTestUnits)}: see docs/maintain/tests.md`,
      )
    }
    if (judge(ofFile, maxFileUnits) === 'fail') {
      throw new Error(
        `The tests of this file cost ${inSeconds(ofFile)} of CPU, fast ones may cost ${inSeconds(maxFileUnits)}: see docs/maintain/tests.md`,
      )
    }
  }
}

/** @public Vitest loads it by its path. */
export default CpuRunner
