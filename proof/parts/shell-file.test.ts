import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '@ars/tools/dev/dev-settings'
import { writeShellFile } from '@ars/tools/dev/shell-file'
import { createStack, type Stack } from '@ars/tools/dev/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const dir = mkdtempSync(join(tmpdir(), "ars it's "))
let stack: Stack
let file: string

beforeAll(() => {
  stack = { ...createStack({ dir, base: 24_000 }), env: () => ({ ARS_PUBLIC_URL: 'https://localhost' }) }
  file = writeShellFile(stack, 'ars_live_test')
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('only its owner can read it', () => {
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

describe('the settings of pnpm dev', () => {
  test('allow this computer as a target, with the certificate of the stack, and other stacks do not', () => {
    const settings = devSettings(stack)
    expect(settings.ARS_EGRESS_ALLOW_RANGES).toBe('127.0.0.0/8,::1/128')
    expect(settings.ARS_EGRESS_ALLOW_PORTS?.split(',')).toEqual(expect.arrayContaining(['24015', '24016', '24017']))
    expect(settings.ARS_EGRESS_CA_FILE).toBe(stack.tls.certFile)
    const others = Object.keys(createStack({ dir, base: 24_000 }).env('all'))
    expect(others.filter((name) => /^ARS_(EGRESS|MODELS)_/.test(name))).toEqual([])
  })

  test('name the models file of the repository, unless ARS_MODELS_FILE names another', () => {
    expect(devSettings(stack).ARS_MODELS_FILE).toMatch(/\/models\.yaml$/)
    process.env.ARS_MODELS_FILE = join(dir, 'own.yaml')
    writeFileSync(process.env.ARS_MODELS_FILE, '')
    expect(devSettings(stack).ARS_MODELS_FILE).toBe(join(dir, 'own.yaml'))
    Reflect.deleteProperty(process.env, 'ARS_MODELS_FILE')
  })

  test('do not include those of clients, which a terminal may have sourced', () => {
    process.env.ARS_BASE_URL = 'https://localhost/v2'
    expect(createStack({ dir, base: 24_000 }).env('all').ARS_BASE_URL).toBeUndefined()
    Reflect.deleteProperty(process.env, 'ARS_BASE_URL')
  })
})
