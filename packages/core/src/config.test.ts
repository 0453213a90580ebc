import { expect, test } from 'vitest'
import { Config } from './config.ts'

const {
  otelExporterOtlpEndpoint: endpoint,
  otelExporterOtlpHeaders: headers,
  otelResourceAttributes: attributes,
  otelTracesSamplerArg: ratio,
} = Config.shape

test('headers for the collector are names and percent-encoded values', () => {
  expect(headers.parse(undefined)).toEqual({})
  expect(headers.parse('Authorization=Bearer%20a%2Cb, x-team = blue=1')).toEqual({
    Authorization: 'Bearer a,b',
    'x-team': 'blue=1',
  })
  const tooMany = Array.from({ length: 21 }, (_, n) => `x${n}=1`).join(',')
  for (const wrong of ['novalue', '=x', 'a b=c', 'a=%zz', 'a=%0d%0ab: c', `a=${encodeURIComponent('ü')}`, tooMany]) {
    expect(headers.safeParse(wrong).success, wrong).toBe(false)
  }
})

test('attributes of the process are names and percent-encoded values', () => {
  expect(attributes.parse(undefined)).toEqual({})
  expect(attributes.parse('deployment.environment.name=production,team=%C3%BC%2C%3D')).toEqual({
    'deployment.environment.name': 'production',
    team: 'ü,=',
  })
  for (const wrong of ['novalue', '=x', 'a b=c', 'a=%zz', 'a=%0a', `a=${'x'.repeat(256)}`]) {
    expect(attributes.safeParse(wrong).success, wrong).toBe(false)
  }
})

test('the address of the collector holds no credential, and the ratio is a share', () => {
  expect(endpoint.parse('https://collector.internal:4318/base')).toBe('https://collector.internal:4318/base')
  for (const wrong of ['collector:4318', 'ftp://collector', 'http://user@collector', 'http://collector?key=1']) {
    expect(endpoint.safeParse(wrong).success, wrong).toBe(false)
  }
  expect([undefined, '0', '0.1', '1'].map((text) => ratio.parse(text))).toEqual([1, 0, 0.1, 1])
  for (const wrong of ['-1', '1.1', '10%']) expect(ratio.safeParse(wrong).success, wrong).toBe(false)
})
