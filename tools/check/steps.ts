/** A tool that judges the tree. It reads the files that `reads` accepts, the configuration files and nothing else. */
export type Step = {
  readonly name: string
  readonly command: readonly string[]
  reads(path: string): boolean
  /** The step also reads the history of git. */
  readonly readsHistory?: true
  /** Options that reuse the tool's own result of the last run. They are left out with `--all`. */
  readonly incremental?: readonly string[]
  /** The step can judge single files, which are then appended to its command: those that it has not passed before. */
  readonly takesFiles?: true
  /** Of code the step reads only what is imported from where. */
  readonly readsImports?: true
}

export const cacheDir = '.cache/check'
export const biome = 'node_modules/.bin/biome'

const isCode = (path: string): boolean => !/\.(md|sql|txt)$/.test(path)
const isOutsideProof = (path: string): boolean => !/^(proof|examples)\//.test(path)

/** Files that every step depends on: its configuration, its versions, and the code of our own tools. */
export const isConfiguration = (path: string): boolean =>
  /^tools\/|(^|\/)package\.json$/.test(path) || (!path.includes('/') && !path.endsWith('.md'))

/** The long steps come first, so that the short ones fill the other core. */
export const steps: readonly Step[] = [
  {
    name: 'types',
    command: ['node_modules/.bin/tsc', '-p', 'tsconfig.json', '--noEmit'],
    reads: isCode,
    incremental: ['--incremental', '--tsBuildInfoFile', `${cacheDir}/types.tsbuildinfo`],
  },
  {
    name: 'types (dashboard)',
    command: ['node_modules/.bin/tsc', '-p', 'apps/dashboard/tsconfig.json', '--noEmit'],
    reads: (path) => /^(apps\/dashboard|sdks\/typescript)\//.test(path),
    incremental: ['--incremental', '--tsBuildInfoFile', `${cacheDir}/dashboard.tsbuildinfo`],
  },
  {
    name: 'types (dashboard tests)',
    command: ['node_modules/.bin/tsc', '-p', 'apps/dashboard/tsconfig.test.json', '--noEmit'],
    reads: (path) => /^(apps\/(dashboard|server)|packages|sdks\/typescript)\//.test(path) && isCode(path),
    // The whole service is in this program. Of a change in it, only the files that import it are judged again.
    incremental: [
      '--incremental',
      '--assumeChangesOnlyAffectDirectDependencies',
      '--tsBuildInfoFile',
      `${cacheDir}/dashboard-tests.tsbuildinfo`,
    ],
  },
  {
    name: 'dashboard size',
    command: ['node', 'tools/dashboard-size/main.ts'],
    reads: (path) => /^(apps\/dashboard\/(src|public|index|vite)|sdks\/typescript\/src)/.test(path),
  },
  { name: 'lint', command: [biome, 'check', '--error-on-warnings'], reads: isCode, takesFiles: true },
  { name: 'dead code', command: ['tools/node_modules/.bin/knip', '--no-progress'], reads: isCode },
  { name: 'imports', command: ['node', 'tools/imports/main.ts'], reads: isCode, readsImports: true },
  {
    name: 'generated files',
    command: ['node', 'tools/gen/main.ts', '--check'],
    reads: isOutsideProof,
    readsHistory: true,
  },
  {
    name: 'openapi',
    command: ['tools/node_modules/.bin/redocly', 'lint', 'packages/contract/openapi.json'],
    reads: (path) => path === 'packages/contract/openapi.json',
  },
  {
    name: 'migrations',
    command: ['node', 'tools/migrations/main.ts'],
    reads: (path) => path.startsWith('db/'),
  },
  { name: 'house rules', command: ['node', 'tools/tidy/main.ts'], reads: () => true },
  { name: 'spec lines', command: ['node', 'proof/spec/main.ts', '--check'], reads: () => true },
]
