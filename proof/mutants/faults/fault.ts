/**
 * A text and what stands there instead. The file and the files of fast tests that must find it are named from packages/core/src,
 * or from the root of the repository.
 */
export type NamedFault = readonly [
  name: string,
  file: string,
  from: string,
  to: string,
  ...tests: [string, ...string[]],
]
