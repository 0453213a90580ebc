import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import dashboard from './apps/dashboard/vite.config.ts'
import { findBinary } from './tools/dev/parts/binary.ts'

// In CI the pages of the dashboard are a phase of their own. Three files stay, because they prove lines of the contract.
const pagesInBrowser =
  process.env.ARS_TESTS === 'without-dashboard' ? ['apps/dashboard/e2e/!(api-keys|usage|webhooks).test.ts'] : []
const exclude = ['**/node_modules/**', '.dev/**', '.ci-state/**', ...pagesInBrowser]
const chromium = findBinary(['chromium', 'chromium-browser', 'google-chrome'])

// How long a test waits for a condition: without it one second, which a busy machine exceeds.
const poll = { timeout: 30_000 }

export default defineConfig({
  test: {
    // The whole stack and the tests share the machine: more workers than this only make each other slow. The test stack
    // starts one engine for each of them.
    maxWorkers: 2,
    // Node runs our TypeScript as it is, so no file is transformed. That saves a fifth of the CPU time.
    experimental: { viteModuleRunner: false },
    projects: [
      {
        test: {
          name: 'node',
          include: [
            'packages/**/*.test.ts',
            'apps/**/*.test.ts',
            'sdks/**/*.test.ts',
            'tools/**/*.test.ts',
            'proof/**/*.test.ts',
          ],
          exclude,
          // Starts Postgres, Redis and Restate once for the whole run; tests find them through `@ars/testkit`.
          globalSetup: ['./tools/dev/test-stack.ts'],
          // A process per file, because a part that a test starts is tied to the life of the thread that started it.
          pool: 'forks',
          sequence: { shuffle: false, concurrent: false },
          expect: { poll },
          testTimeout: 180_000,
          hookTimeout: 240_000,
        },
      },
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
