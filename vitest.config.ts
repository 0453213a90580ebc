import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import dashboard from './apps/dashboard/vite.config.ts'
import { findBinary } from './tools/dev/parts/binary.ts'
import { apart } from './tools/gate/apart.ts'

const outside = ['**/node_modules/**', '.dev/**', '.ci-state/**']
const chromium = findBinary(['chromium', 'chromium-browser', 'google-chrome'])

// How long a test waits for a condition: without it one second, which a busy machine exceeds.
const poll = { timeout: 30_000 }

// Tests with properties in the proof with a random seed need up to two minutes for each.
const isThorough = Boolean(process.env.ARS_PROPERTIES || process.env.ARS_PROPERTIES_SEED)

const inNode = {
  // Not threads: a part that a test starts is tied to the life of the thread that started it.
  pool: 'forks',
  sequence: { shuffle: false, concurrent: false },
  expect: { poll },
  testTimeout: isThorough ? 900_000 : 180_000,
  hookTimeout: 240_000,
} as const

// The setup sets the number of runs and the seed of properties.
const withProperties = { ...inNode, setupFiles: './packages/testkit/src/properties.setup.ts' } as const
// Counts the CPU of each test, and fails one that costs several times what it may. With thousands of runs each does.
const isFast = { ...withProperties, ...(!isThorough && { runner: './tools/gate/cpu-runner.ts' }) } as const

const slow = '**/*.slow.test.ts'
const pages = 'apps/dashboard/e2e/**/*.test.ts'

export default defineConfig({
  test: {
    // Starts Postgres, Redis and Restate once for the whole run; tests find them through `@ars/testkit`.
    globalSetup: ['./tools/dev/test-stack.ts'],
    // The whole stack and the tests share the machine: more workers than this only make each other slow. The test stack
    // starts engines for this many.
    maxWorkers: 2,
    reporters: ['default', './tools/gate/cpu-reporter.ts'],
    // Node runs our TypeScript as it is, so no file is transformed. That saves a fifth of the CPU time.
    experimental: { viteModuleRunner: false },
    // docs/maintain/tests.md says which test belongs where.
    projects: [
      {
        test: {
          ...isFast,
          name: 'fast',
          include: ['{packages,apps,sdks,tools,proof}/**/*.test.ts'],
          exclude: [...outside, slow, pages, ...apart],
          // The files of a worker share its modules: loading the service anew for each file took a third of the time.
          isolate: false,
        },
      },
      { test: { ...isFast, name: 'apart', include: [...apart], exclude: outside } },
      // One at a time: they measure time, stop parts and start processes.
      {
        test: {
          ...withProperties,
          name: 'slow',
          include: [`{packages,apps,sdks,tools,proof}/${slow}`],
          exclude: [...outside, pages],
          maxWorkers: 1,
          sequence: { ...inNode.sequence, groupOrder: 1 },
        },
      },
      // The pages of the dashboard in a real browser, through the whole service.
      { test: { ...inNode, name: 'pages', include: [pages], exclude: outside, isolate: false } },
      {
        // Components of the dashboard in a real Chromium, without the service.
        root: './apps/dashboard',
        plugins: dashboard.plugins ?? [],
        optimizeDeps: { entries: ['src/main.tsx', 'src/**/*.test.tsx'] },
        test: {
          name: 'dashboard',
          include: ['src/**/*.test.tsx'],
          exclude: outside,
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
