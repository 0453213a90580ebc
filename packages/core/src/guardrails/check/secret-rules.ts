import { guardrailsBounds } from '../bounds.ts'
import { crcLetters } from './checksum.ts'

export type SecretRule = {
  /** What every such secret begins with. They are looked for in one pass. */
  prefixes: readonly string[]
  /** What follows the prefix, for V8; linear because each repetition ends with a character that it cannot contain. */
  rest: string
  /** Sees the whole, with the prefix. */
  check?(secret: string): boolean
}

const withCrcOfBody = (secret: string) => {
  const body = secret.slice(secret.indexOf('_') + 1)
  return crcLetters(body.slice(0, -6)) === body.slice(-6)
}
const withCrcOfAll = (secret: string) => crcLetters(secret.slice(0, -6)) === secret.slice(-6)

/** A placeholder has few different characters or says what it is. */
const isRandom = (secret: string): boolean => {
  const beginning = secret.slice(0, 96)
  return distinctOf(beginning) >= 12 && !placeholder.test(beginning)
}
const isRandomHex = (secret: string): boolean => distinctOf(secret.slice(-32)) >= 8 && !placeholder.test(secret)
const placeholder = /example|placeholder|your[-_]?|xxxx|\*\*\*|1234567890|0123456789|abcdefghij|0{8}/i

/** How many different characters of ASCII. */
const distinctOf = (text: string): number => {
  seen.fill(0)
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i) & 0x7f
    if (seen[code] === 0) count++
    seen[code] = 1
  }
  return count
}
const seen = new Uint8Array(128)

const isJwt = (secret: string): boolean => {
  try {
    const head: unknown = JSON.parse(Buffer.from(secret.slice(0, secret.indexOf('.')), 'base64url').toString())
    return typeof head === 'object' && head !== null && 'alg' in head
  } catch {
    return false
  }
}

/** How much of a key block or of a token is found. Longer ones do not exist. */
export const maxSecretChars = guardrailsBounds.secret.chars

const privateKeyNames = ['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED ', 'PGP ']

export const secretRules: readonly SecretRule[] = [
  // Our own keys, packages/core/src/access/credential.ts.
  { prefixes: ['ars_live_', 'ars_demo_', 'ars_st_', 'ars_share_'], rest: '[0-9A-Za-z]{38}', check: withCrcOfAll },
  // GitHub and npm end with a CRC of the random part.
  { prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'npm_'], rest: '[0-9A-Za-z]{36}', check: withCrcOfBody },
  { prefixes: ['github_pat_'], rest: '[0-9A-Za-z]{22}_[0-9A-Za-z]{59}', check: isRandom },
  { prefixes: ['glpat-', 'gldt-', 'glrt-', 'glptt-'], rest: '[0-9A-Za-z_-]{20,60}', check: isRandom },
  {
    prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    rest: '[A-Z2-7]{16}',
    check: (key) => new Set(key).size >= 8 && !key.endsWith('EXAMPLE'),
  },
  {
    prefixes: ['aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY', 'SecretAccessKey', 'secretAccessKey'],
    rest: '["\']?\\s{0,3}[:=]\\s{0,3}["\']?[0-9A-Za-z/+]{40}(?![/+=])',
    check: (text) => isRandom(text.slice(-40)),
  },
  { prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], rest: '[0-9A-Za-z]{16,247}', check: isRandom },
  { prefixes: ['whsec_'], rest: '[0-9A-Za-z+/]{24,88}={0,2}', check: isRandom },
  {
    prefixes: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxo-', 'xoxr-', 'xoxs-', 'xoxe-', 'xoxe.xoxp-', 'xoxe.xoxb-'],
    rest: '[0-9A-Za-z-]{20,250}',
    check: isRandom,
  },
  { prefixes: ['xapp-'], rest: '\\d-[A-Z0-9]{8,14}-\\d{10,14}-[0-9a-f]{32,64}', check: isRandom },
  { prefixes: ['hooks.slack.com/services/'], rest: 'T[0-9A-Za-z_]{7,12}/B[0-9A-Za-z_]{7,12}/[0-9A-Za-z_]{20,28}' },
  { prefixes: ['AIza'], rest: '[0-9A-Za-z_-]{35}', check: isRandom },
  { prefixes: ['GOCSPX-'], rest: '[0-9A-Za-z_-]{28}', check: isRandom },
  { prefixes: ['ya29.'], rest: '[0-9A-Za-z_-]{30,400}', check: isRandom },
  { prefixes: ['sk-ant-'], rest: '(?:api|admin|oat|sid)\\d\\d-[0-9A-Za-z_-]{60,120}', check: isRandom },
  // OpenAI marks its keys with its name in base64.
  {
    prefixes: ['sk-'],
    rest: '(?:(?:proj|svcacct|admin|None)-)?[0-9A-Za-z_-]{20,80}T3BlbkFJ[0-9A-Za-z_-]{20,80}',
    check: isRandom,
  },
  { prefixes: ['sk-or-v1-'], rest: '[0-9a-f]{64}', check: isRandom },
  { prefixes: ['pypi-AgEIcHlwaS5vcmc', 'pypi-AgENdGVzdC5weXBpLm9yZw'], rest: '[0-9A-Za-z_-]{50,400}', check: isRandom },
  // Twilio: an API key. The id of an account is no secret.
  { prefixes: ['SK'], rest: '[0-9a-f]{32}', check: isRandomHex },
  { prefixes: ['SG.'], rest: '[0-9A-Za-z_-]{22}\\.[0-9A-Za-z_-]{43}', check: isRandom },
  { prefixes: ['hf_'], rest: '[A-Za-z]{34}', check: isRandom },
  { prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], rest: '[0-9a-f]{64}', check: isRandom },
  { prefixes: ['shpat_', 'shpss_', 'shpca_', 'shppa_'], rest: '[0-9a-fA-F]{32}', check: isRandomHex },
  { prefixes: ['hvs.', 'hvb.'], rest: '[0-9A-Za-z_-]{24,300}', check: isRandom },
  { prefixes: ['AccountKey=', 'SharedAccessKey='], rest: '[0-9A-Za-z+/]{43,86}={1,2}', check: isRandom },
  { prefixes: ['dapi'], rest: '[0-9a-f]{32}', check: isRandomHex },
  { prefixes: ['AGE-SECRET-KEY-1'], rest: '[02-9AC-HJ-NP-Z]{58}' },
  // The head and the beginning of the claims tell. The rest belongs to it as far as it is there.
  {
    prefixes: ['eyJ'],
    rest: `[0-9A-Za-z_-]{8,400}\\.eyJ[0-9A-Za-z_-]{4,${maxSecretChars}}(?:\\.[0-9A-Za-z_-]{0,700})?`,
    check: isJwt,
  },
  // Without its end the block goes on to the end of the text, so that a stream does not let half of it out.
  ...privateKeyNames.map((name) => ({
    prefixes: [`-----BEGIN ${name}PRIVATE KEY`],
    rest: `(?: BLOCK)?-----(?:\\s|\\\\[nr]){1,4}(?:[0-9A-Za-z+/]{20}|Proc-Type:|Version:|Comment:)(?:[0-9A-Za-z+/=\\s:,.()-]|\\\\[nr]){0,${maxSecretChars}}`,
  })),
]
