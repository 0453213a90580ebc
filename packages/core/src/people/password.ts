import { limits } from '@ars/contract'

/** The form that is hashed: the same characters, whether the keyboard sends them composed or decomposed. */
export const normalisePassword = (password: string): string => password.normalize('NFC')

/** Why this password is not allowed, or null. The e-mail address is normalised. */
export const passwordRefusal = (password: string, email: string): string | null => {
  const normal = normalisePassword(password)
  const letters = [...normal]
  if (letters.length < limits.passwordMinChars) return `A password has at least ${limits.passwordMinChars} characters`
  if (letters.length > limits.passwordMaxChars) return `A password has at most ${limits.passwordMaxChars} characters`
  if (!normal.isWellFormed()) return 'A password is made of whole characters'
  const plain = normal.toLowerCase().trim()
  if (plain === email) return 'A password is not the e-mail address'
  if (new Set(plain).size < differentLettersLeast || common.has(plain)) return 'This password is too easy to guess'
  return null
}

const differentLettersLeast = 4

// Entries of common password lists that are long enough to pass the length check.
const common: ReadonlySet<string> = new Set([
  '123456789012',
  '1234567890123',
  '12345678901234',
  '123456789012345',
  '1234567890123456',
  '12345678910111213',
  '0123456789012',
  '098765432109',
  '123456123456',
  '123123123123',
  '1q2w3e4r5t6y',
  '1q2w3e4r5t6y7u8i',
  '1qaz2wsx3edc',
  '1qaz2wsx3edc4rfv',
  'qwertyuiop12',
  'qwertyuiop123',
  'qwertyuiop[]',
  'qwerty123456',
  'qwerty1234567890',
  'qwertyqwerty',
  'qazwsxedcrfv',
  'asdfghjkl123',
  'asdfasdfasdf',
  'zxcvbnm12345',
  'abcdefghijkl',
  'abcdefghijklmnopqrstuvwxyz',
  'abcdef123456',
  'abcd1234abcd',
  'abc123abc123',
  'password1234',
  'password12345',
  'password123456',
  'passwordpassword',
  'password123!',
  'password1234!',
  'p@ssw0rd1234',
  'p@ssword1234',
  'passw0rd1234',
  'mypassword123',
  'changemechangeme',
  'changeme1234',
  'letmeinletmein',
  'letmein12345',
  'welcome12345',
  'welcome123456',
  'iloveyou1234',
  'iloveyouiloveyou',
  'iloveyousomuch',
  'administrator',
  'administrator1',
  'adminadminadmin',
  'admin1234567',
  'admin123456789',
  'rootrootroot',
  'testtesttest',
  'test12345678',
  'user12345678',
  'secretsecret',
  'supersecret1',
  'correcthorsebatterystaple',
  'correct horse battery staple',
  'trustno1trustno1',
  'monkeymonkey',
  'dragondragon',
  'sunshine1234',
  'princess1234',
  'football1234',
  'superman1234',
  'whatever1234',
  'computer1234',
  'minecraft123',
  'unbelievable',
])
