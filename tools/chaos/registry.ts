import type { Scenario } from './scenario.ts'
import { deadlyStep } from './scenarios/deadly-step.ts'
import { engineDisk } from './scenarios/engine-disk.ts'
import { lost } from './scenarios/lost.ts'
import { oneEffect } from './scenarios/one-effect.ts'
import { thawedWorker } from './scenarios/thawed-worker.ts'

/** Every scenario, in the order in which they are played. */
export const scenarios: readonly Scenario[] = [lost, engineDisk, oneEffect, thawedWorker, deadlyStep]
