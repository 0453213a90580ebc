import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '@ars/core/config'
import { fileVariableName, parseConfig, variableName } from '@ars/platform/config'
import { afterAll, expect, test } from 'vitest'
import { expectSentence, folder, nothing, removeFolder, wrongSettings } from './settings-table.ts'

afterAll(removeFolder)

const required = {
  ARS_DATABASE_URL: 'postgres://a@localhost/b',
  ARS_DATABASE_AUTH_URL: 'postgres://a@localhost/b',
  ARS_DATABASE_FEED_URL: 'postgres://a@localhost/b',
  ARS_REDIS_URL: 'redis://localhost',
  ARS_ENGINE_INGRESS_URL: 'http://localhost:8080',
  ARS_ENGINE_ADMIN_URL: 'http://localhost:9070',
}

const faultOf = (act: () => unknown): unknown => {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

test('the table has every setting', () => {
  expect(Object.keys(wrongSettings).sort()).toEqual(Object.keys(Config.shape).sort())
})

test('a wrong number, address or choice is refused with a sentence that names the setting and not its value', () => {
  for (const [field, row] of Object.entries(wrongSettings)) {
    if (!row || 'start' in row) continue
    for (const value of row.parse) {
      const error = faultOf(() => parseConfig(Config, { ...required, [variableName(field)]: value }))
      expectSentence(error, variableName(field))
      if (value.length > 3) expect((error as Error).message).not.toContain(value)
    }
  }
})

const textOf: Readonly<Record<string, string>> = {
  redisUrl: 'redis://:secret@localhost',
  otelExporterOtlpHeaders: 'authorization=secret',
  otelExporterOtlpTracesHeaders: 'authorization=secret',
  smtpUrl: 'smtp://ars:secret@localhost',
}

const parsedOf: Readonly<Record<string, unknown>> = {
  otelExporterOtlpHeaders: { authorization: 'secret' },
  otelExporterOtlpTracesHeaders: { authorization: 'secret' },
  smtpUrl: { host: 'localhost', port: 587, isTlsFromStart: false, login: { user: 'ars', password: 'secret' } },
}

test('every secret can be read from a file, and a wrong file is named', () => {
  const secrets = Object.keys(Config.shape).filter((field) => fileVariableName(Config, field))
  expect(secrets).toEqual([
    'databaseUrl',
    'databaseAuthUrl',
    'databaseFeedUrl',
    'databaseSystemUrl',
    'databaseOwnerUrl',
    'databaseBackupUrl',
    'redisUrl',
    'otelExporterOtlpHeaders',
    'otelExporterOtlpTracesHeaders',
    'smtpUrl',
  ])
  const [good, empty] = [join(folder, 'good'), join(folder, 'empty')]
  writeFileSync(empty, '\n')
  for (const field of secrets) {
    const [name, fileName] = [variableName(field), `${variableName(field)}_FILE`]
    const value = textOf[field] ?? 'postgres://a:secret@localhost/b'
    writeFileSync(good, `${value}\n`)
    const others = Object.fromEntries(Object.entries(required).filter(([other]) => other !== name))
    expect(parseConfig(Config, { ...others, [fileName]: good })).toMatchObject({
      [field]: parsedOf[field] ?? value,
    })
    for (const bad of [nothing, folder, empty])
      expectSentence(
        faultOf(() => parseConfig(Config, { ...others, [fileName]: bad })),
        fileName,
      )
    expectSentence(
      faultOf(() => parseConfig(Config, { ...others, [name]: value, [fileName]: good })),
      `Set either ${name} or ${fileName}, not both`,
    )
  }
})
