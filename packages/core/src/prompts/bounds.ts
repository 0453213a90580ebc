import type { Bounds } from '@ars/platform/bounds'

export const promptsBounds = {
  templateCheckCpu: { ms: 500, atBound: 'refused with 422 `config_invalid`' },
  templateRenderCpu: { ms: 250, atBound: 'the run fails with `agent_error`; a preview is refused with 422' },
  templateCpuOfMib: { ms: 400, atBound: 'it is added for each MiB of template and input' },
  templatePrograms: {
    count: 200,
    atBound: 'the expression that was used least lately is forgotten and compiled again',
  },
  templateProblemsTold: { count: 20, atBound: 'further problems are not named' },
} satisfies Bounds
