import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for real time, for a test whose subject is a time-out of a real part. */
export const pause = (ms: number): Promise<void> => sleep(ms)
