import type { Planned } from '../../../test/pipeline-world.ts'

export const chain: Planned = {
  steps: [
    { key: 'read', input: { document: '${{ input.document }}' } },
    { key: 'sum', depends_on: ['read'], input: { text: '${{ steps.read.output.text }}' } },
  ],
  output: { result: '${{ steps.sum.output.sum }}' },
}

export const wide: Planned = {
  steps: [
    { key: 'each', for_each: 'input.list', input: { n: '${{ item }}' }, retry: { attempts: 2, on: ['model_failed'] } },
    { key: 'last', depends_on: ['each'], input: { list: '${{ steps.each.output }}' } },
  ],
}
