import type { RequestListener } from 'node:http'
import { test } from 'vitest'
import { expectSkipped } from './engine-nodes.fixture.ts'

const hang: RequestListener = () => undefined
const endlessBody: RequestListener = (_, response) => response.write('half')

test.each([
  ['does not answer', hang],
  ['does not finish its answer', endlessBody],
])('a node that %s is skipped for 10 seconds, then one request tries it again', (_, fault) => expectSkipped(fault))
