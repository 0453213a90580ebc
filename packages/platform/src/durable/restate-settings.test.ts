import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { releaseFile } from '../release-files.ts'
import { restateSettings } from './restate-settings.ts'

const shipped = readFileSync(releaseFile('deploy/restate.toml'), 'utf8')

test('the shipped settings of the engine change where a value is given, each in its section, and nowhere else', () => {
  expect(restateSettings({})).toBe(shipped)
  const text = restateSettings({ ports: { ingress: 1, admin: 2, node: 3 }, identityFile: '/keys/identity.pem' })
  expect(text.match(/^bind-port = .*/gm)).toEqual(['bind-port = 3', 'bind-port = 2', 'bind-port = 1'])
  expect(text).toContain('\nadvertised-address = "http://127.0.0.1:3/"\n')
  expect(text).toContain('\nrequest-identity-private-key-pem-file = "/keys/identity.pem"\n')
  const changed = text.split('\n').filter((line, at) => line !== shipped.split('\n')[at])
  expect(changed).toHaveLength(5)
})
