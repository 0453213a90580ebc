import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import dashboard from './apps/dashboard/vite.config.ts'
import { findBinary } from './tools/dev/parts/binary.ts'

// In CI the pages of the dashboard are a phase of their own. Three files stay, because they prove lines of the contract.
const pagesInBrowser =
  process.env.ARS_TESTS === 'without-dashboard' ? ['apps/dashboard/e2e/!(api-keys|usage|webhooks).test.ts'] : []
const exclude = ['**/node_modules/**', '.dev/**', '.ci-state/**', ...pagesInBrowser]
const chromium = findBinary(['chromium', 'chromium-browser', 'google-chrome'])

// Files that need a process for themselves: they measure CPU or memory, replace timers, send signals to their process, or list
// all statements.
const alone = [
  'apps/server/src/gateway/listen/transfer-rate.test.ts',
  'apps/server/test/heartbeats.test.ts',
  'apps/server/test/tls.test.ts',
  'packages/core/src/alerts/alert-cost.test.ts',
  'packages/core/src/guardrails/check/compile.service.test.ts',
  'packages/core/src/guardrails/check/cost.test.ts',
  'packages/core/src/models/key-rotation.test.ts',
  'packages/core/src/runs/execute/large-results.test.ts',
  'packages/core/src/schemas/linear-pattern.test.ts',
  'packages/platform/src/egress/tls.test.ts',
  'packages/platform/src/exclusive-section.test.ts',
  'packages/platform/src/periodic.test.ts',
  'packages/platform/src/thread-pool.test.ts',
  'proof/schema/statements.test.ts',
  'sdks/typescript/test/client.test.ts',
  'tools/check/check.test.ts',
]

// How long a test waits for a condition: without it one second, which a busy machine exceeds.
const poll = { timeout: 30_000 }

const inNode = {
  // Not threads: a part that a test starts is tied to the life of the thread that started it.
  pool: 'forks',
  sequence: { shuffle: false, concurrent: false },
  expect: { poll },
  testTimeout: 180_000,
  hookTimeout: 240_000,
} as const

export default defineConfig({
  test: {
    // Starts Postgres, Redis and Restate once for the whole run; tests find them through `@ars/testkit`.
    globalSetup: ['./tools/dev/test-stack.ts'],
    // The whole stack and the tests share the machine: more workers than this only make each other slow. The test stack
    // starts one engine for each of them.
    maxWorkers: 2,
    // Node runs our TypeScript as it is, so no file is transformed. That saves a fifth of the CPU time.
    experimental: { viteModuleRunner: false },
    projects: [
      {
        test: {
          ...inNode,
          name: 'node',
          include: [
            'packages/**/*.test.ts',
            'apps/**/*.test.ts',
            'sdks/**/*.test.ts',
            'tools/**/*.test.ts',
            'proof/**/*.test.ts',
          ],
          exclude: [...exclude, ...alone],
          // The files of a worker share its modules: loading the service anew for each file took a third of the time.
          isolate: false,
        },
      },
      { test: { ...inNode, name: 'alone', include: alone, exclude } },
      {
        // Components of the dashboard in a real Chromium, without the service.
        root: './apps/dashboard',
        plugins: dashboard.plugins ?? [],
        optimizeDeps: { entries: ['src/main.tsx', 'src/**/*.test.tsx'] },
        test: {
          name: 'dashboard',
          include: ['src/**/*.test.tsx'],
          exclude,
          expect: { poll },
          testTimeout: 60_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: chromium === undefined ? {} : { executablePath: chromium } }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
})
