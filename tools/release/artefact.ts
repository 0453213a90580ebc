/** A file of a release. */
export type Artefact = {
  readonly kind:
    | 'npm'
    | 'npm-program'
    | 'npm-server'
    | 'executable'
    | 'server'
    | 'server-executable'
    | 'image'
    | 'wheel'
    | 'sdist'
    | 'go'
  readonly name: string
  readonly version: string
  /** Names the package in every registry; a wheel and its source distribution share it. */
  readonly purl: string
  /** Relative to the folder of the release. */
  readonly file: string
}
