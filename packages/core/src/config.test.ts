import { expect, test } from 'vitest'
import { Config } from './config.ts'

const { otlpEndpoint, otlpHeaders, traceSampleRatio } = Config.shape

test('headers for the collector are names and percent-encoded values', () => {
  expect(otlpHeaders.parse(undefined)).toEqual({})
  expect(otlpHeaders.parse('Authorization=Bearer%20a%2Cb, x-team = blue=1')).toEqual({
    authorization: 'Bearer a,b',
    'x-team': 'blue=1',
  })
  for (const wrong of ['novalue', '=x', 'a b=c', 'a=%zz', 'a=%0d%0ab: c', `a=${encodeURIComponent('ü')}`]) {
    expect(otlpHeaders.safeParse(wrong).success, wrong).toBe(false)
  }
})

test('the address of the collector holds no credential, and the ratio is a share', () => {
  expect(otlpEndpoint.parse('https://collector.internal:4318/base')).toBe('https://collector.internal:4318/base')
  for (const wrong of ['collector:4318', 'ftp://collector', 'http://user@collector', 'http://collector?key=1']) {
    expect(otlpEndpoint.safeParse(wrong).success, wrong).toBe(false)
  }
  expect([undefined, '0', '0.1', '1'].map((text) => traceSampleRatio.parse(text))).toEqual([1, 0, 0.1, 1])
  for (const wrong of ['-1', '1.1', '10%']) expect(traceSampleRatio.safeParse(wrong).success, wrong).toBe(false)
})
