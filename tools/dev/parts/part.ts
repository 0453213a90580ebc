/** One program of the stack that can be started, stopped and killed on its own, always on the same data. */
export type Part = {
  readonly name: string
  /** Finds what would keep the part from starting, such as a taken port, without starting it. `start` does this first. */
  check(): Promise<void>
  /** Resolves when the part answers; rejects with a `PartError` that says what to do. */
  start(): Promise<void>
  /** Asks the part to end in good order and waits for it. */
  stop(): Promise<void>
  /** SIGKILL: what a crash looks like. Resolves when no process of the part is left. */
  kill(): Promise<void>
  pid(): number | undefined
}

/** A failure whose message is written for the person at the keyboard; its stack trace helps nobody. */
export class PartError extends Error {
  override readonly name = 'PartError'
}
