import { crc32 } from 'node:zlib'
import { formatCredential } from '../../access/credential.ts'
import { alphanumeric, type Dice, hex, upperCase } from './corpus-random.fixture.ts'

const urlSafe = `${alphanumeric}-_`
const withCrc = (prefix: string, body: string): string => {
  let rest = BigInt(crc32(body))
  let end = ''
  for (let i = 0; i < 6; i++) {
    end = `${alphanumeric[Number(rest % 62n)]}${end}`
    rest /= 62n
  }
  return prefix + body + end
}
const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Keys and tokens of no one, in the forms of their vendors. */
export const secretMakers: readonly ((dice: Dice) => string)[] = [
  (dice) =>
    formatCredential(
      dice.pick(['live', 'demo', 'st', 'share']),
      Uint8Array.from({ length: 32 }, () => dice.roll(256)),
    ),
  (dice) => withCrc(dice.pick(['ghp_', 'gho_', 'ghs_', 'npm_']), dice.letters(30, alphanumeric)),
  (dice) => `github_pat_${dice.letters(22, alphanumeric)}_${dice.letters(59, alphanumeric)}`,
  (dice) => `glpat-${dice.letters(20, urlSafe.slice(0, 62))}`,
  (dice) => `${dice.pick(['AKIA', 'ASIA'])}${dice.letters(16, `${upperCase}234567`)}`,
  (dice) => `aws_secret_access_key = ${dice.letters(40, `${alphanumeric}/+`)}`,
  (dice) =>
    `${dice.pick(['sk', 'rk'])}_${dice.pick(['live', 'test'])}_${dice.letters(24 + 75 * dice.roll(2), alphanumeric)}`,
  (dice) => `xoxb-${dice.digits(12)}-${dice.digits(13)}-${dice.letters(24, alphanumeric)}`,
  (dice) => `AIza${dice.letters(35, urlSafe.slice(0, 62))}`,
  (dice) => `sk-proj-${dice.letters(58, alphanumeric)}T3BlbkFJ${dice.letters(58, alphanumeric)}`,
  (dice) => `sk-${dice.letters(20, alphanumeric)}T3BlbkFJ${dice.letters(20, alphanumeric)}`,
  (dice) => `sk-ant-api03-${dice.letters(93, alphanumeric)}AA`,
  (dice) => `pypi-AgEIcHlwaS5vcmc${dice.letters(150, alphanumeric)}`,
  (dice) => `SK${dice.letters(32, hex)}`,
  (dice) => `SG.${dice.letters(22, alphanumeric)}.${dice.letters(43, alphanumeric)}`,
  (dice) => `hf_${dice.letters(34, alphanumeric.slice(10))}`,
  (dice) => `shpat_${dice.letters(32, hex)}`,
  (dice) =>
    `eyJ${json({ alg: 'RS256', typ: 'JWT' }).slice(3)}.${json({ sub: dice.digits(10), iat: 1_700_000_000 })}.${dice.letters(43, urlSafe.slice(0, 62))}`,
  (dice) => {
    const name = dice.pick(['RSA ', 'EC ', '', 'OPENSSH '])
    const lines = Array.from({ length: 3 + dice.roll(22) }, () => dice.letters(64, `${alphanumeric}+/`))
    return `-----BEGIN ${name}PRIVATE KEY-----\n${lines.join('\n')}\n-----END ${name}PRIVATE KEY-----`
  },
]
