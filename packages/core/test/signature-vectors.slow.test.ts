import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('the shared vectors equal the output of their program', () => {
  const program = fileURLToPath(new URL('../../../sdks/conformance/make_vectors.py', import.meta.url))
  const check = () => execFileSync('python3', [program, '--check'], { stdio: 'pipe' })
  expect(check).not.toThrow()
})
