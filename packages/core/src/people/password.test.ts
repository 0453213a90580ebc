import { expect, test } from 'vitest'
import { passwordRefusal } from './password.ts'
import { isWeakPassword } from './weak-password.service.ts'

const refusalOf = (password: string) => passwordRefusal(password, 'ada@example.com', isWeakPassword)

test.for([
  'unbelievable',
  'Administrator',
  'Password1234!',
  '!!dragon12345',
  'letmeinletmein',
  'LetMeInLetMeIn99',
  'sunshine20262026',
  'correcthorsebatterystaple',
  '1q2w3e4r5t6y7u8i',
])('%s is a common password, or one that was only lengthened', (password) => {
  expect(refusalOf(password)).toBe('This password is too easy to guess')
})

test.for(['dragon and monkey 7', 'password83920174652', 'a nanosecond of wire', 'xkqzvbwmtrplk'])(
  '%s is allowed',
  (password) => {
    expect(refusalOf(password)).toBeNull()
  },
)
