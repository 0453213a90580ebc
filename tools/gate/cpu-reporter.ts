import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { inSeconds, judge, maxFileUnits, maxTestUnits } from './cpu-limit.ts'

type Cost = { readonly name: string; readonly units: number }

/**
 * Names the tests and files that cost more CPU than a fast one may.
 * @public Vitest loads it by its path.
 */
export default class CpuReporter implements Reporter {
  readonly #tests: Cost[] = []
  readonly #files: Cost[] = []

  onTestCaseResult(test: TestCase): void {
    const units = test.meta().cpuUnits ?? 0
    if (judge(units, maxTestUnits) !== 'fine') {
      this.#tests.push({ name: `${test.module.relativeModuleId} > ${test.fullName}`, units })
    }
  }

  onTestModuleEnd(file: TestModule): void {
    const units = file.meta().cpuUnits ?? 0
    if (judge(units, maxFileUnits) !== 'fine') this.#files.push({ name: file.relativeModuleId, units })
  }

  onTestRunEnd(): void {
    list(`tests above ${inSeconds(maxTestUnits)} of CPU`, this.#tests)
    list(`files above ${inSeconds(maxFileUnits)} of CPU`, this.#files)
  }
}

const list = (title: string, costs: readonly Cost[]): void => {
  if (costs.length === 0) return
  console.log(
    `\nWarning: ${costs.length} ${title}. They fail at three times that. docs/maintain/tests.md says what to do.`,
  )
  for (const { name, units } of costs.toSorted((one, other) => other.units - one.units)) {
    console.log(`  ${inSeconds(units).padStart(7)}  ${name}`)
  }
}
