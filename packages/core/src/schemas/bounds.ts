import type { Bounds } from '@ars/platform/bounds'

export const schemasBounds = {
  plainSteps: {
    count: 20_000,
    factors: ['weight of a schema', 'size of a value'],
    atBound: 'a thread checks the value',
  },
  plainWeight: { count: 1_000, atBound: 'a thread checks the value' },
  faultsTold: { count: 20, atBound: 'further faults are not told' },
  path: { chars: 200, atBound: 'the path is cut' },
  textsKnown: { count: 500, atBound: 'the text that was used least lately is forgotten and parsed again' },
  slowSchemasKnown: { count: 1_000, atBound: 'the oldest is forgotten and tried again' },
  compiledSchemas: { count: 500, atBound: 'the schema that was used least lately is forgotten and compiled again' },
  compiledSubschemas: {
    count: 10_000,
    factors: ['compiled schemas', 'sub-schemas of a schema'],
    atBound: 'the schema that was used least lately is forgotten and compiled again',
  },
  pairsForAllFaults: {
    count: 200_000,
    factors: ['paths of a schema', 'parts of a value'],
    atBound: 'the response names the first fault only',
  },
  errorsRead: {
    count: 200,
    factors: ['faults', 'errors of a fault'],
    atBound: 'further errors are not read',
  },
  compileCpu: { ms: 400, atBound: 'the schema has a problem that names the CPU time' },
  checkCpu: { ms: 500, atBound: 'the value has a fault that names the CPU time' },
  checkCpuOfMib: { ms: 100, atBound: 'it is added for each MiB of the value' },
} satisfies Bounds
