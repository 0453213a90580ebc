// The import rules of the house: a name, its reason, and the ways to break it.
// Run by `node tools/imports/main.ts` (part of `pnpm check`); tools/imports/imports.test.ts plants a violation of each.
// Tests are left out of the picture: they may open any door, and nothing that ships can import them.

const slice = '^packages/core/src/([^/]+)/'
const door = '^packages/core/src/[^/]+/index\\.ts$'
// A thread loads the tasks of a slice and nothing else of it.
const thread = '^packages/core/src/thread\\.ts$'
const tasks = '^packages/core/src/.+-task\\.service\\.ts$'
const noun = ['^packages/core/src/[^/]+/(?!index\\.ts$)[^/.]+\\.ts$', '^packages/core/src/[^/]+/[^/]+/[^/.]+\\.ts$']
const room = (names) => `^packages/core/src/runs/(${names})/`
const webhookRoom = (names) => `^packages/core/src/webhooks/(${names})/`
const layer = (names) => `^packages/core/src/[^/]+/.+\\.(${names})\\.ts$`
const npm = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg', 'npm-unknown']

const rule = (name, comment, ways) => ways.map((way) => ({ name, comment, severity: 'error', ...way }))

export default {
  forbidden: [
    ...rule(
      'no-circles',
      'Files that import each other in a circle cannot be understood, tested or moved one by one.',
      [{ from: {}, to: { circular: true } }],
    ),

    ...rule(
      'no-circles-between-slices',
      'Slices depend on each other in one direction; a fact that must travel back travels as an event through the outbox.',
      [
        {
          scope: 'folder',
          from: { path: '^packages/core/src/[^/]+$' },
          to: { path: '^packages/core/src/[^/]+$', circular: true },
        },
      ],
    ),

    ...rule(
      'contract-and-platform-are-leaves',
      'The contract is words (and zod), the platform is machines: neither knows the other, nor the product built on both.',
      [
        {
          from: { path: '^packages/(contract|platform)/' },
          to: { path: '^(packages|tools|proof|sdks)/', pathNot: ['^packages/$1/', '^packages/testkit/'] },
        },
        {
          from: { path: '^packages/contract/src/' },
          to: { dependencyTypes: ['core', ...npm], pathNot: '(^|/)node_modules/zod/' },
        },
      ],
    ),

    ...rule('packages-know-no-app', 'An app is a composition root: it imports packages, and nothing imports it.', [
      { from: { path: '^(packages|tools|proof|apps/server)/' }, to: { path: '^apps/', pathNot: '^$1/' } },
    ]),

    ...rule(
      'clients-see-only-the-public-api',
      'The dashboard, the CLI and the SDKs live on the public API as customers do; what they lack, the API lacks.',
      [
        {
          from: { path: '^(apps/dashboard|apps/cli|sdks/[^/]+)/' },
          to: { path: '^(packages|apps|tools|proof|db)/', pathNot: '^$1/' },
        },
      ],
    ),

    ...rule(
      'slices-meet-at-the-door',
      'A slice is entered by its index.ts; what lies behind the door may change without asking the neighbours.',
      [
        { from: { path: slice }, to: { path: slice, pathNot: ['^packages/core/src/$1/', door] } },
        { from: { pathNot: [slice, thread] }, to: { path: slice, pathNot: door } },
        { from: { path: thread }, to: { path: slice, pathNot: [door, tasks] } },
      ],
    ),

    ...rule(
      'a-run-flows-down',
      'Inside a run imports go one way: accept, execute, control and read never import each other; they use queue, then dispatch and feed, then run.',
      [
        { from: { path: room('accept') }, to: { path: room('execute|control|read') } },
        { from: { path: room('execute') }, to: { path: room('accept|control|read') } },
        { from: { path: room('control') }, to: { path: room('accept|execute|read') } },
        { from: { path: room('read') }, to: { path: room('accept|execute|control') } },
        { from: { path: room('queue') }, to: { path: room('accept|execute|control|read') } },
        { from: { path: room('dispatch') }, to: { path: room('accept|execute|control|read|queue|feed') } },
        { from: { path: room('feed') }, to: { path: room('accept|execute|control|read|queue|dispatch') } },
        { from: { path: room('run') }, to: { path: room('accept|execute|control|read|queue|dispatch|feed') } },
      ],
    ),

    ...rule(
      'a-delivery-flows-down',
      'Inside webhooks imports go one way: manage and recover never import each other; they use deliver, then webhook.',
      [
        { from: { path: webhookRoom('manage') }, to: { path: webhookRoom('recover') } },
        { from: { path: webhookRoom('recover') }, to: { path: webhookRoom('manage') } },
        { from: { path: webhookRoom('deliver') }, to: { path: webhookRoom('manage|recover') } },
        { from: { path: webhookRoom('webhook') }, to: { path: webhookRoom('manage|recover|deliver') } },
      ],
    ),

    ...rule(
      'rules-are-pure',
      'A rule (noun.ts) decides without clock, database or network, and layers point down: api → service ← workflow; service → store; a sweep uses both.',
      [
        { from: { path: noun }, to: { path: layer('api|service|store|sql|workflow|sweep') } },
        // Of other slices a rule knows types, of the platform ids, hashes and a memo, of Node what computes and does not wait.
        { from: { path: noun }, to: { path: door, dependencyTypesNot: ['type-only'] } },
        {
          from: { path: noun },
          to: {
            path: '^packages/platform/src/',
            pathNot: '^packages/platform/src/(bounds|id|id-range|crypto|signature|validation|recent)\\.ts$',
          },
        },
        {
          from: { path: noun },
          to: { dependencyTypes: ['core'], pathNot: '^(node:)?(assert|buffer|url|util|zlib)(/|$)' },
        },
        { from: { path: noun }, to: { path: '^packages/core/src/(core|outbox)[^/]*\\.ts$' } },

        { from: { path: layer('store|sql') }, to: { path: layer('api|service|workflow|sweep') } },
        // A long statement (noun.sql.ts) is part of its store.
        { from: { pathNot: layer('store|sql') }, to: { path: layer('sql') } },
        { from: { path: layer('sql') }, to: { path: layer('store') } },
        { from: { path: layer('service') }, to: { path: layer('api|workflow|sweep') } },
        { from: { path: layer('api') }, to: { path: layer('store|workflow|sweep') } },
        { from: { path: layer('workflow') }, to: { path: layer('api|store') } },
        { from: { path: layer('sweep') }, to: { path: layer('api|workflow') } },
        { from: { path: layer('api|workflow') }, to: { path: '^packages/platform/src/(db|redis)(/|\\.ts$)' } },
      ],
    ),

    ...rule(
      'testkit-is-for-tests',
      'The testkit fakes the outside world; what ships to customers must not be able to reach it, nor the test runner.',
      [
        { from: { path: '^(packages|apps)/', pathNot: '^packages/testkit/' }, to: { path: '^packages/testkit/' } },
        {
          from: { path: '^(packages|apps)/', pathNot: '^packages/testkit/' },
          to: { path: '(^|/)node_modules/(vitest|fast-check)/' },
        },
      ],
    ),

    ...rule(
      'experiments-stand-on-the-lab',
      'An experiment of proof/ imports its own folder and proof/lab/, so that it can be read, changed and removed alone; nothing outside proof/ imports one.',
      [
        // proof/bench/main.ts selects a bench; each bench is an experiment.
        {
          from: { path: '^proof/(bench/[^/]+|[^/]+)/' },
          to: { path: '^proof/', pathNot: ['^proof/$1/', '^proof/lab/'] },
        },
        { from: { pathNot: '^proof/' }, to: { path: '^proof/' } },
      ],
    ),
  ],

  options: {
    exclude: { path: ['\\.(test|fixture)\\.tsx?$', '(^|/)(test|e2e|dist)/'] },
    doNotFollow: { path: ['node_modules'] },
    // Type-only imports count: a type from behind a door is a promise as much as a function is.
    tsPreCompilationDeps: true,
    // Workspace packages are entered through their `exports`, as Node does, and followed to their real files.
    preserveSymlinks: false,
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
