import type { Artefact } from '@ars/tools/release/artefact'
import type { Dependency } from '@ars/tools/release/sbom'

/** A clean folder in which an artefact is installed, as a customer would. */
export type Installed = {
  /** Runs a program of this language that a page shows, and returns its output. */
  run(code: string): Promise<string>
  readonly dependencies: readonly Dependency[]
  /** The purls that the artefact needs directly. */
  readonly needs: readonly string[]
}

export type Place = {
  /** The folder of the release. */
  readonly out: string
  /** An empty folder. */
  readonly dir: string
  /** The environment of the programs: address, key, agent, trusted certificate. */
  readonly env: NodeJS.ProcessEnv
}

/** How the artefacts of one language are installed and tried. */
export type Ecosystem = {
  readonly kinds: readonly Artefact['kind'][]
  /** The page whose first block is the first example. */
  readonly readme: string
  /** The language of its blocks. */
  readonly language: string
  /** It runs the programs of the skill in this language. */
  readonly runsSkill: boolean
  install(artefact: Artefact, place: Place): Promise<Installed>
}
