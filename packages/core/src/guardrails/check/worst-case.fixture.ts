import { createDice } from './corpus-random.fixture.ts'

export const textChars = 10_240

const sentences = [
  'The customer asked whether our plan includes support for large teams.',
  'On average a model answers within two seconds, and 42 of 50 people were content.',
  'Please read page 17 of the report from 2024; the meeting is at 10:30 on Monday.',
  'It costs $1,299.00 per year (see the list of prices), taxes included.',
  'We will call you back as soon as the order 8841-22 has left the house.',
  'Die Antwort kam früher als erwartet, und niemand war überrascht.',
  'Use the function `toString()` when `a.b.c` is not null; otherwise return -1.',
  'Version 2.4.0 of the service was released on 2026-11-02.',
]

/** What people write: sentences with some digits, dates and prices, and nothing to be found. */
export const ordinaryText = (seed: number): string => {
  const dice = createDice(seed)
  let text = ''
  while (text.length < textChars) text += `${dice.pick(sentences)} `
  return text.slice(0, textChars)
}

// Pieces that begin like something, or are that something, or make a pattern try again at every character.
// biome-ignore format: a list
const atoms = [
  'a', ' ', '1', '1 ', '1-', '1.', '12 ', '123 ', '1234 ', '12-', '(1', '+1', '+', '++1', '.', ':', '::', ':a', '1:', 'a:', '/', '//', '//a', '//a.', '\\', '@', 'a@', '@a', 'a@a.', '@a.b', 'a.b@', '.a@b.c', '-', '-----', '_', 'é', '😀', '\u200b', 'a\u200b', '\n', '\t', '\u0000', '\u0001', '  ', 'a  b ', '\u{e0061}', '\u{1d41a}', '٤', 'e\u0301', 'a\u0315\u0300', '\u0315\u0300', 'क\u093c\u093f', '\u1112\u1161\u11ab',
  '415-555-2671 ', '4155552671 ', '+14155552671 ', '(415) 555-2671', 'call 4155552671 ', '+49 170 1234567 ', '+4', '+44 ', '0170 1234567 ', '4111 1111 1111 1111 ', '4111 1111 1111 1112 ', '4111', '41111111111111111', 'DE89 3704 0044 0532 0130 00 ', 'DE89 3704 0044 0532 0130 01 ', 'DE89', 'DE8', 'GB29NWBK', '10.1.2.3 ', '1.2.3.4.', '255.', '2001:db8::1 ', 'a::', '::1', 'ffff:', '1:2:3:4:5:6:7:8 ', '123-45-6789 ', '000-12-3456 ', 'AB123456C ', 'AB12', '943 476 5919 ', 'NHS 9434765919 ', '111.444.777-35 ', '1234 5678 9012 ', '811228-9874 ', '12345678Z ', 'X1234567', 'RSSMRA85T10A562S ', 'ABCDEF12A', '255081416802538 ', '756.9217.0769.85', '85.07.30-033.28 ',
  'bob@example.com ', 'b@c.de,', 'bob@', 'a@1.2.', 'a@b.png ', 'git@a.com:x/', 'https://a:b@c.de ', `${'x'.repeat(64)}@`, `@${'x.'.repeat(60)}`,
  'sk-', 'sk_live_', 'ghp_', '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 ', `ghp_${'a'.repeat(36)} `, 'eyJ', 'eyJa.', 'eyJhbGciOiJIUzI1NiJ9.eyJ', 'eyJhbGciOiJIUzI1NiJ9.', 'AKIA', 'AKIAQWERTYUIOPASDFGH ', 'AIza', 'xoxb-', '-----BEGIN PRIVATE KEY', '-----BEGIN PRIVATE KEY-----\n', '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq', 'SK0', 'SG.', 'sk-a', 'T3BlbkFJ', 'sk-T3BlbkFJ', 'aws_secret_access_key=', 'ars_live_', 'npm_', 'hf_', 'ssss', 'sksk',
  'http:', 'http://', 'http:/', 'http://a', 'http://a ', 'http://evil.com ', 'http://example.com ', 'http://example.com/', 'https://a@', 'www.', 'www.a', 'www.a ', 'a://', 'a:/', '\\\\a.', '//a.b ', 'http://[', 'http://[::1]', 'http://ü', 'http://%', 'http://a%', 'http://xn--', 'h', 'ht', 'a+', 'a.a+a-a', 'aaaaaaaaab', 'aab', 'aa b', 'project ', 'project x', 'conf', 'confidential ', 'internal', 'ab', 'aA', 'AbC ', 'x=1&', '{"a":', '[[', '((', '))', '<a>', '"', "'", '`', '%', '#', '&', '*', ',', ';', '!', '?', '|', '~', '^', '=', 'Ａ', 'ﬁ', 'İ', 'ſ', '中', 'ก', '\ud800', '\udc00', 'a\u0301',
  '1a', 'a1', 'A1b2', '1,', '1/', '12/', '0', '00', '9', '1234567', '12345678', '123456789 ', '1234567890 ', '12345678901 ', '123456789012 ', '1234567890123456 ',
]

/** At least 200 texts of 10 KB that are dear to check. */
export const worstTexts: readonly string[] = atoms.map((atom) =>
  atom.repeat(Math.ceil(textChars / atom.length)).slice(0, textChars),
)
