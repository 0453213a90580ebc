import type { Watched } from '../../../lab/measure/cpu.ts'
import type { Target } from '../protocol.ts'
import type { RecoverySide } from './recovery.ts'

/** A product under load: ours, or a peer. */
export type Product = {
  /** As the report names it. */
  readonly name: string
  /** Of everything that runs, exact. */
  readonly version: string
  /** For the report: what keeps a run, and every setting that is not a default. */
  readonly settings: string
  /** How a caller starts a run of two steps and waits for its end. */
  readonly target: Target
  /** All processes of the product with its database. Their CPU time counts. */
  readonly watched: Watched
  /** Processes on the side of the caller, whose CPU time does not count. */
  readonly callers: Watched
  readonly recovery: RecoverySide
  stop(): Promise<void>
}

/** Where a product runs. Its folder is new, and the first of its 20 ports is `base`. */
export type Place = {
  dir: string
  base: number
  /** The most calls at once, for products that must be told. */
  callers: number
}

/** Says what goes on. */
export type Say = (words: string) => void

export type Peer = {
  /** Installs the peer into the cache, which stays between plays, unless it is there. Answers its folder. */
  install(cache: string, say: Say): Promise<string>
  /** Starts the peer that is installed in `home`. */
  start(place: Place & { home: string }, say: Say): Promise<Product>
}
