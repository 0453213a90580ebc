/**
 * The call is not allowed. Nothing was sent. `reason` is for the person who named the host; `detail` is for the log
 * only.
 */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused'
  readonly reason: string
  readonly detail: string | undefined

  constructor(reason: string, detail?: string) {
    super(reason)
    this.reason = reason
    this.detail = detail
  }
}

export type FailureKind = 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'too_large' | 'protocol' | 'busy'

/**
 * The call failed. The message is for the person who named the host. `reached` is true if the peer may have read part
 * of the request, so the outcome is unknown. The kind `busy` is a failure of this service: the host was not called.
 */
export class EgressFailed extends Error {
  override readonly name = 'EgressFailed'
  readonly kind: FailureKind
  readonly reached: boolean

  constructor(message: string, { kind, reached = false, cause }: FailureOptions) {
    super(message, { cause })
    this.kind = kind
    this.reached = reached
  }
}

type FailureOptions = { kind: FailureKind; reached?: boolean; cause?: unknown }

/** The refusal or failure behind an error that a library has wrapped. */
export const egressErrorOf = (error: unknown): EgressRefused | EgressFailed | undefined => {
  let at = error
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    if (at instanceof EgressRefused || at instanceof EgressFailed) return at
    at = at.cause
  }
  return
}

/** Maps errors of sockets, TLS and the HTTP parser to these kinds and a message. */
export const failureOf = (error: unknown, reached: boolean): EgressRefused | EgressFailed => {
  const known = egressErrorOf(error)
  if (known instanceof EgressRefused) return known
  if (known) return reached ? new EgressFailed(known.message, { kind: known.kind, reached, cause: known.cause }) : known
  const code = codeOf(error)
  const { kind, says } = meanings.find(({ codes }) => codes.test(code)) ?? unknownFailure
  // A connection that closes during the TLS handshake has no specific code.
  if (kind === 'reset' && !reached)
    return new EgressFailed('The server closed the connection before it was ready', { kind: 'connect', cause: error })
  return new EgressFailed(says, { kind, reached, cause: error })
}

// After several addresses Node throws an AggregateError; the first error is representative.
const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

type Meaning = { readonly codes: RegExp; readonly kind: FailureKind; readonly says: string }

const meaning = (codes: RegExp, kind: FailureKind, says: string): Meaning => ({ codes, kind, says })

const meanings: readonly Meaning[] = [
  meaning(/^ECONNREFUSED$/, 'connect', 'The server refused the connection'),
  meaning(/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'timeout', 'The server did not accept the connection in time'),
  meaning(/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'connect', 'The server cannot be reached'),
  meaning(/^CERT_HAS_EXPIRED$/, 'tls', "The server's certificate has expired"),
  meaning(/^CERT_NOT_YET_VALID$/, 'tls', "The server's certificate is not valid yet"),
  meaning(/^ERR_TLS_CERT_ALTNAME_/, 'tls', "The server's certificate is for another name"),
  meaning(
    /SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED/,
    'tls',
    "The server's certificate is not signed by a known authority",
  ),
  meaning(/^ERR_SSL_.*(UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION)/, 'tls', 'The server does not support TLS 1.2 or newer'),
  meaning(/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST)/, 'tls', 'The server does not support TLS'),
  meaning(/^(ERR_SSL|ERR_TLS|CERT_|EPROTO|CRL_|INVALID_(CA|PURPOSE)|HOSTNAME_)/, 'tls', 'The TLS handshake failed'),
  meaning(
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    'reset',
    'The server closed the connection before its response was complete',
  ),
  meaning(/^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/, 'too_large', 'The response headers are too large'),
  meaning(/^HPE_|^UND_ERR_RES_CONTENT_LENGTH/, 'protocol', 'The response is not valid HTTP'),
]

const unknownFailure: Meaning = meaning(/^/, 'protocol', 'The call failed')
