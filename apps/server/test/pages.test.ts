import { readFileSync } from 'node:fs'
import { contract, errors } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type App, sharedApp } from './app.ts'

let app: App
let publicUrl = ''
beforeAll(async () => {
  app = await sharedApp()
  const refused = await app.call('GET', '/v2/agents', { key: null })
  publicUrl = refused.body.error.doc_url.replace('/docs/errors#unauthorized', '')
  expect(publicUrl).toMatch(/^https:\/\/[^/]+$/)
})
afterAll(() => app.stop())

const published = JSON.parse(
  readFileSync(new URL('../../../packages/contract/openapi.json', import.meta.url), 'utf8'),
) as { paths: object }

const operationIds = Object.entries(contract).flatMap(([resource, operations]) =>
  Object.keys(operations).map((name) => `${resource}.${name}`),
)

const anchor = /\bid="([^"]+)"/g
const target = /href="#([^"]+)"/g
const loaded = /(?:src|<link[^>]*href)="([^"]*)"/g
const allIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found)

describe('the document', () => {
  test('is served without a credential, as JSON and as YAML, with the address of this installation', async () => {
    const json = await app.call('GET', '/openapi.json', { key: null })
    expect([json.status, json.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(json.body.paths).toEqual(published.paths)
    expect(json.body.servers).toEqual([{ url: `${publicUrl}/v2`, description: 'This installation.' }])
    const yaml = await app.call('GET', '/openapi.yaml', { key: null })
    expect([yaml.status, yaml.headers['content-type']]).toEqual([200, 'application/yaml; charset=utf-8'])
    expect(parse(yaml.text)).toEqual(json.body)
  })

  test('below the base address needs a credential, and any valid one will do', async () => {
    expect((await app.call('GET', '/v2/openapi.json', { key: null })).status).toBe(401)
    const answer = await app.call('GET', '/v2/openapi.json')
    expect(answer.status).toBe(200)
    expect(answer.body.paths).toEqual(published.paths)
    const token = await app.call('POST', '/v2/session-tokens', { body: { scopes: ['runs:read'] } })
    expect((await app.call('GET', '/v2/openapi.json', { key: token.body.token })).status).toBe(200)
  })
})

describe('a page', () => {
  const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  test.each([
    ['/docs/api/', '/docs/api'],
    ['/docs/errors/', '/docs/errors'],
    ['/docs/reference', '/docs/api'],
    ['/docs/reference/', '/docs/api'],
  ])('%s leads to %s', async (path, location) => {
    const { status, headers } = await app.call('GET', path, { key: null })
    expect([status, headers.location]).toEqual([301, location])
  })

  test.each(['/docs/api', '/docs/errors'])('%s is static HTML that loads nothing from elsewhere', async (path) => {
    const page = await app.call('GET', path, { key: null })
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers).toMatchObject({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-request-id': expect.stringMatching(/^req_/),
    })
    expect(page.text).not.toMatch(/<script|<style|style=|\son[a-z]+=/)
    expect(allIn(page.text, loaded)).toEqual(['/docs/style.css'])
    expect((await app.call('GET', '/docs/style.css', { key: null })).status).toBe(200)
  })

  test('of the reference has every operation and every type, and no dead link', async () => {
    const { text } = await app.call('GET', '/docs/api', { key: null })
    const anchors = new Set(allIn(text, anchor))
    for (const id of operationIds) expect(anchors).toContain(id)
    const targets = allIn(text, target)
    expect(targets.length).toBeGreaterThan(operationIds.length)
    expect(targets.filter((id) => !anchors.has(id))).toEqual([])
  })

  test('of the errors has an anchor for every code, to which `doc_url` leads', async () => {
    const { text } = await app.call('GET', '/docs/errors', { key: null })
    for (const code of Object.keys(errors)) expect(text).toContain(`<section id="${code}">`)
    const refused = await app.call('GET', '/v2/nothing')
    expect(refused.body.error.doc_url).toBe(`${publicUrl}/docs/errors#not_found`)
  })

  test('for language models names every operation and the document', async () => {
    const { text, headers } = await app.call('GET', '/llms.txt', { key: null })
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^# Agent Run Service\n\n> /)
    expect(text).toContain(`${publicUrl}/openapi.json`)
    for (const id of operationIds) expect(text).toContain(`/docs/api#${id})`)
  })
})
