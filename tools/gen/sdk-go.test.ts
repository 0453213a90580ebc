import { expect, test } from 'vitest'
import { clientModel } from './client-model.ts'
import { goFiles } from './sdk-go.ts'

test('every id of a path is a string: a number is written out, and a value of an enumeration converted', () => {
  const files = goFiles(clientModel())
  expect(files['sdks/go/zz_generated_agents.go']).toContain('ids:       []string{id, idText(version)}')
  expect(files['sdks/go/zz_generated_provider_keys.go']).toContain('[]string{string(id)}')
})
