import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/**/*.test.ts',
      'apps/**/*.test.ts',
      'sdks/**/*.test.ts',
      'tools/**/*.test.ts',
      'proof/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '.dev/**', '.ci-state/**'],
    // Starts Postgres, Redis and Restate once for the whole run; tests find them through `@ars/testkit`.
    globalSetup: ['./tools/dev/test-stack.ts'],
    // A process per file, because a part that a test starts is tied to the life of the thread that started it.
    pool: 'forks',
    // The whole stack and the tests share the machine: more workers than this only make each other slow. The test stack
    // starts one engine for each of them.
    maxWorkers: 2,
    sequence: { shuffle: false, concurrent: false },
    testTimeout: 180_000,
    hookTimeout: 240_000,
  },
})
