import { createPrivateKey, sign } from 'node:crypto'

/**
 * The signature of a text in base64, with the EC key of a PEM file. `openssl dgst -sha256 -verify` checks it after `base64 -d`.
 * Signed checksums prove who built every file that they list.
 */
export const signatureOf = (text: string, pem: string): string => {
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType !== 'ec') throw new Error('The key of the signature must be an EC key, such as P-256')
  return `${sign('sha256', Buffer.from(text), key).toString('base64')}\n`
}
