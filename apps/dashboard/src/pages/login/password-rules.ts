/** The rules of the service for passwords, in words. */
export const passwordRules = { minChars: 12, maxChars: 1_000, help: '12 characters or more.' } as const

export const passwordProblem = (password: string, repeated: string): string | undefined => {
  if (password.length < passwordRules.minChars) return `Use ${passwordRules.minChars} characters or more.`
  if (password.length > passwordRules.maxChars) return `Use ${passwordRules.maxChars} characters or fewer.`
  return password === repeated ? undefined : 'The two passwords differ.'
}
