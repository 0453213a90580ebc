import { expect, test } from 'vitest'
import type { PipelineDefinition } from '../definition.ts'
import { keptSteps, repeatedApprovals } from './rerun.ts'

const agent_id = 'ag_01m7st8q6seqns402h956geqth'
const definition: PipelineDefinition = {
  steps: [
    { key: 'ask', approval: { message: 'Pay?' } },
    { key: 'prepare', agent_id, depends_on: ['ask'] },
    { key: 'pay', agent_id, depends_on: ['prepare'] },
    { key: 'note', agent_id },
  ],
}
const kept = (fromStep: string) => keptSteps(definition, fromStep, () => 'completed')

test('a rerun keeps what neither is nor follows its first step', () => {
  expect(kept('ask').toSorted()).toEqual(['note'])
  expect(kept('pay').toSorted()).toEqual(['ask', 'note', 'prepare'])
  expect(kept('note').toSorted()).toEqual(['ask', 'pay', 'prepare'])
})

test('an approval is repeated by every step behind it that runs again, however many steps lie between', () => {
  expect(repeatedApprovals(definition, kept('prepare'))).toEqual(['ask'])
  expect(repeatedApprovals(definition, kept('pay'))).toEqual(['ask'])
  expect(repeatedApprovals(definition, kept('note'))).toEqual([])
  expect(repeatedApprovals(definition, kept('ask'))).toEqual([])
})
