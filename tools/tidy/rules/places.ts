import { type Finding, forbid, notShipped, type Rule, withoutComments } from '../rule.ts'

const emptyNames = ['util', 'utils', 'helper', 'helpers', 'manager', 'common', 'misc', 'v2', 'part2']
const exactVersion = /^(catalog:|workspace:\*|\d+\.\d+\.\d+(-[\w.]+)?)$/

export const placeRules: readonly Rule[] = [
  {
    name: 'a file is named after what it holds',
    why: 'Generic names collect unrelated code. Name the noun.',
    check: (files) =>
      files
        .filter(({ path }) => path.split(/[/._-]/).some((word) => emptyNames.includes(word.toLowerCase())))
        .map(({ path }) => ({ path, says: `none of ${emptyNames.join(', ')}` })),
    bad: [
      { 'packages/core/src/runs/run-utils.ts': '' },
      { 'packages/platform/src/common/log.ts': '' },
      { 'packages/core/src/runs/run.v2.ts': '' },
    ],
    good: [{ 'packages/core/src/runs/run.ts': '', 'docs/utility.md': '' }],
  },
  {
    name: 'a slice has at most one level of folders, and its files name their layer',
    why: 'The suffix is the layer, and the import rules know it by the suffix: a file without one escapes them.',
    check: (files) =>
      files
        .filter(({ path }) => /^packages\/core\/src\/[^/]+\//.test(path))
        .filter(
          ({ path }) =>
            !/^packages\/core\/src\/[^/]+\/([a-z0-9-]+\/)?[a-z0-9-]+(\.(api|service|store|sql|workflow|sweep))?(\.(test|slow\.test|fixture))?\.ts$/.test(
              path,
            ),
        )
        .map(({ path }) => ({ path, says: 'expected noun.ts or noun.(api|service|store|sql|workflow|sweep).ts' })),
    bad: [
      { 'packages/core/src/runs/run.controller.ts': '' },
      { 'packages/core/src/runs/accept/run.controller.ts': '' },
      { 'packages/core/src/runs/accept/deep/run.ts': '' },
    ],
    good: [
      {
        'packages/core/src/fault.ts': '',
        'packages/core/src/runs/run.ts': '',
        'packages/core/src/runs/run.service.test.ts': '',
        'packages/core/src/runs/run.service.slow.test.ts': '',
        'packages/core/src/runs/run-feed.sweep.ts': '',
        'packages/core/src/runs/accept/accept.store.ts': '',
        'packages/core/src/runs/accept/accept.sql.ts': '',
      },
    ],
  },
  {
    name: 'an exported name lives in one slice',
    why: 'A reader who searches for a name must find one thing. Types of the contract are shared and are not counted.',
    check: (files) => {
      const slices = new Map<string, Map<string, string>>()
      for (const { path, text } of files) {
        const slice = /^packages\/core\/src\/([^/]+)\/(?!.*(?:\.test|\.fixture|index)\.ts$).+\.ts$/.exec(path)?.[1]
        if (slice === undefined) continue
        for (const [, name = ''] of text.matchAll(/^export (?:const|type|class|let) (\w+)/gm)) {
          slices.set(name, (slices.get(name) ?? new Map<string, string>()).set(slice, path))
        }
      }
      return [...slices].flatMap(([name, places]) =>
        places.size < 2
          ? []
          : [...places.values()].map((path) => ({ path, says: `exports ${name}, as another slice does` })),
      )
    },
    bad: [
      {
        'packages/core/src/runs/run.ts': 'export const toWire = 1',
        'packages/core/src/agents/agent.ts': 'export const toWire = 1',
      },
    ],
    good: [
      {
        'packages/core/src/runs/run.ts': 'export const toWireRun = 1',
        'packages/core/src/runs/run.test.ts': 'export const toWire = 1',
        'packages/core/src/agents/agent.ts': 'export const toWire = 1',
        'packages/core/src/agents/index.ts': "export { toWire } from './agent.ts'",
      },
    ],
  },
  {
    name: 'a rule never waits',
    why: 'noun.ts decides and does nothing else, so that its test needs no database.',
    check: forbid(/\bawait\b|\basync\b|\bPromise\b/, {
      within: /^packages\/core\/src\/[^/]+\/([^/]+\/)?(?!index\.ts$)[^/.]+\.ts$/,
      read: withoutComments,
    }),
    bad: [
      { 'packages/core/src/runs/run.ts': 'export const next = async () => 1' },
      { 'packages/core/src/runs/accept/quota.ts': 'export const next = async () => 1' },
    ],
    good: [
      { 'packages/core/src/runs/run.ts': '// no await here\nexport const next = () => 1' },
      { 'packages/core/src/runs/run.service.ts': 'export const get = async () => 1' },
    ],
  },
  {
    name: 'outbound bytes leave through one client',
    why: 'The egress client checks every address. An attacker would use any other outgoing path.',
    check: forbid(/\bglobalThis\.fetch\b|\bhttps?\.(request|get)\(|\bhttp2\.connect\(/, {
      within: /^(packages|apps\/server)\/.*\.tsx?$/,
      except: new RegExp(`${notShipped.source}|^packages/platform/src/(egress|durable)/`),
      read: withoutComments,
    }),
    bad: [
      { 'packages/core/src/webhooks/delivery.service.ts': 'await globalThis.fetch(url)' },
      { 'apps/server/src/gateway/proxy.ts': 'http.request(url)' },
    ],
    good: [
      { 'packages/platform/src/egress/client.ts': 'https.request(pinned)' },
      { 'packages/core/src/webhooks/delivery.service.ts': 'await egress.request(url)' },
    ],
  },
  {
    name: 'every dependency is pinned exactly',
    why: 'Tested versions are the ones that run. A range could install a compromised release.',
    check: (files) => [
      ...files.filter(({ path }) => /(^|\/)package\.json$/.test(path)).flatMap(({ path, text }) => looseIn(path, text)),
      ...files
        .filter(({ path }) => path === 'pnpm-workspace.yaml')
        .flatMap(({ path, text }) =>
          catalogOf(text)
            .filter(([, version]) => !exactVersion.test(version))
            .map(([name, version]) => ({ path, says: `${name} ${version}` })),
        ),
    ],
    bad: [
      { 'packages/core/package.json': '{ "dependencies": { "zod": "^4.0.0" } }' },
      { 'package.json': '{ "devDependencies": { "vitest": "latest" } }' },
      { 'pnpm-workspace.yaml': "catalog:\n  '@types/pg': 8.x\n" },
    ],
    good: [
      {
        'packages/core/package.json':
          '{ "dependencies": { "zod": "catalog:", "@ars/contract": "workspace:*", "pg": "8.23.1" } }',
        'pnpm-workspace.yaml': "packages:\n  - apps/*\ncatalog:\n  '@types/pg': 8.23.1\n  zod: 4.6.7\n",
      },
      { 'sdks/typescript/package.json': '{ "peerDependencies": { "typescript": ">=5" } }' },
    ],
  },
  {
    name: 'the tree names no place of its author',
    why: 'It must build from a bare clone anywhere: no registry host, no absolute home folder.',
    check: forbid(
      /\bregistry\.[\w-]+\.(org|com|net|dev|io)\b|^\s*registry\s*=|(?<![\w./~-])\/(home\/\w|Users\/\w|root\/)/im,
      {
        within: /./,
      },
    ),
    bad: [
      { '.npmrc': 'registry=https://packages.example.com' },
      { '.ci/run': 'cd /home/someone/service' },
      { 'docs/guides/a.md': 'from https://registry.example.org' },
      { 'tools/dev/main.ts': "const home = '/root/.cache'" },
    ],
    good: [{ '.ci/run': 'cd "$HOME/service"', 'docs/guides/a.md': 'the registry in use; docs/root/a.md' }],
  },
]

const looseIn = (path: string, text: string): Finding[] => {
  const manifest = JSON.parse(text) as Record<string, Record<string, string> | undefined>
  return ['dependencies', 'devDependencies', 'optionalDependencies']
    .flatMap((kind) => Object.entries(manifest[kind] ?? {}))
    .filter(([, version]) => !exactVersion.test(version))
    .map(([name, version]) => ({ path, says: `${name} ${version}` }))
}

const catalogOf = (yaml: string): [string, string][] => {
  const section = /^catalog:\n((?:[ #].*\n|\n)*)/m.exec(`${yaml}\n`)?.[1] ?? ''
  return [...section.matchAll(/^ {2}'?([^':\s]+)'?:\s*(\S+)/gm)].map(([, name = '', version = '']) => [name, version])
}
