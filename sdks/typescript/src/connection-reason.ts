/** The innermost cause, which names the reason, and advice for a certificate that is not trusted. */
export const connectionReason = (error: unknown): string => {
  let cause = error
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    const next: unknown = cause instanceof AggregateError ? cause.errors[0] : cause.cause
    if (!(next instanceof Error)) break
    cause = next
  }
  if (!(cause instanceof Error)) return ''
  const code = 'code' in cause ? String(cause.code) : ''
  const reason = cause.message || code
  const advice = /SELF_SIGNED|UNABLE_TO_/.test(code)
    ? '. Set NODE_EXTRA_CA_CERTS to the certificate of the service'
    : ''
  return reason === '' ? '' : ` (${reason}${advice})`
}
