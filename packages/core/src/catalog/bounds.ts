import type { Bounds } from '@ars/platform/bounds'

export const catalogBounds = {
  files: { count: 500, atBound: 'the folder is reported as broken' },
  file: { bytes: 1_048_576, atBound: 'the file is reported as broken' },
  folders: { count: 8, atBound: 'the process does not start' },
} satisfies Bounds
