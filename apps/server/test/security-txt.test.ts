import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, sharedGateway } from './app.ts'

const address = '/.well-known/security.txt'

let app: App
let silent: App
beforeAll(async () => {
  const env = {
    ARS_SECURITY_CONTACTS: 'mailto:security@example.com, https://example.com/report',
    ARS_SECURITY_POLICY_URL: 'https://example.com/policy',
  }
  app = await sharedGateway(env)
  silent = await sharedApp()
})
afterAll(async () => {
  await app.stop()
  await silent.stop()
})

test('a finder of a vulnerability reads the configured contacts without a key', async () => {
  const answer = await app.call('GET', address, { key: null })
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(answer.text).toMatch(
    /^Contact: mailto:security@example\.com\nContact: https:\/\/example\.com\/report\nExpires: /,
  )
  expect(answer.text).toContain('Policy: https://example.com/policy\n')
})

test('security.txt is 404 while the operator has set no contact', async () => {
  expect((await silent.call('GET', address, { key: null })).status).toBe(404)
})

test('a contact that is not an address ends the start with the name of the setting', async () => {
  await expect(sharedGateway({ ARS_SECURITY_CONTACTS: 'security@example.com' })).rejects.toThrow(
    /ARS_SECURITY_CONTACTS/,
  )
})
