import { expect, test } from 'vitest'
import {
  forbiddenScript,
  letterPattern,
  lettersIn,
  lettersInBytes,
  markerChars,
  markerOf,
  patternOf,
  permittedScript,
  speechOf,
} from './marked-speech.ts'

const scripts = [forbiddenScript, permittedScript]

test.each(scripts)('the $name marker of a case is always the same, and no other case has it', (script) => {
  const markers = Array.from({ length: 1000 }, (_, n) => markerOf(script, `case-${n}`))
  expect(new Set(markers).size).toBe(markers.length)
  expect(markerOf(script, 'case-1')).toBe(markers[1])
  for (const marker of markers) {
    expect(marker).toHaveLength(markerChars)
    expect(marker).toMatch(new RegExp(`^${patternOf(script)}$`, 'u'))
  }
})

test('every call says the same text in other pieces, with the marker in it', () => {
  const calls = Array.from({ length: 200 }, (_, n) => [1, 2].map((nth) => speechOf(forbiddenScript, `case-${n}`, nth)))
  for (const [n, [first, second]] of calls.entries()) {
    const text = first?.pieces.join('')
    expect(second?.pieces.join('')).toBe(text)
    expect(text).toContain(markerOf(forbiddenScript, `case-${n}`))
  }
  const isCut = calls.filter(([first], n) => !first?.pieces.some((piece) => piece.includes(markerOf(forbiddenScript, `case-${n}`)))) // biome-ignore format: one expression
  expect(isCut.length).toBeGreaterThan(50)
})

test.each(scripts)('one $name letter is found in each form that it can have, and no other text is', (script) => {
  const other = scripts.find((each) => each !== script) ?? script
  const find = lettersIn(script)
  const letter = markerOf(script, 'a').slice(0, 1)
  const code = letter.codePointAt(0)?.toString(16).padStart(4, '0')
  const monitored = [...Buffer.from(letter)].map((byte) => `\\x${byte.toString(16)}`).join('')
  for (const form of [letter, `\\u${code}`, monitored]) expect(find(`{"a":"word-1 ${form}."}`)).toEqual([form])
  expect(find(`${markerOf(other, 'a')} ${patternOf(script)} word-1 \\u00e1 ab\\x00`)).toEqual([])
})

test.each(scripts)('three $name letters are found in a file that is not text', (script) => {
  const find = lettersInBytes(script)
  const marker = markerOf(script, 'a')
  expect(find(Buffer.concat([Buffer.from([0xff, 0, 0xe1, 0x82]), Buffer.from(marker), Buffer.from([0x80])]))).toEqual([
    marker,
  ])
  expect(find(Buffer.from(marker.slice(0, 2)))).toEqual([])
})

test.each(scripts)('the pattern for rows finds $name letters as text and as hexadecimal digits', (script) => {
  const pattern = new RegExp(letterPattern(script))
  const marker = markerOf(script, 'a')
  for (const row of [`(1,"x ${marker[0]}")`, `(1,"\\\\x${Buffer.from(marker).toString('hex')}")`])
    expect(row).toMatch(pattern)
  expect(`(1,"${patternOf(script)}")`).not.toMatch(pattern)
})
