/** The codings of a response that a client takes, from `Accept-Encoding` with its q-values (RFC 9110, 12.5.3). */
export const acceptedEncoding = <Coding extends string>(
  header: string | undefined,
  /** The codings that exist, the best first. */
  available: readonly Coding[],
): Coding | 'identity' => {
  if (header === undefined) return 'identity'
  const weights = weightsOf(header)
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0
  // A client that does not mention identity takes it, but prefers what it names.
  let best: { coding: Coding | 'identity'; weight: number } = {
    coding: 'identity',
    weight: weights.get('identity') ?? Number.MIN_VALUE,
  }
  for (const coding of available.toReversed()) {
    const weight = weightOf(coding)
    if (weight > 0 && weight >= best.weight) best = { coding, weight }
  }
  return best.coding
}

const weightsOf = (header: string): Map<string, number> =>
  new Map(
    header.split(',').map((part) => {
      const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const written = parameters.find((parameter) => parameter.startsWith('q='))
      return [coding, written === undefined ? 1 : weightOf(written.slice(2))]
    }),
  )

/** A weight that cannot be read refuses its coding: every client takes the file as it is. */
const weightOf = (text: string): number => (/^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0)
