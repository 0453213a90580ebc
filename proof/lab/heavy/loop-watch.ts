import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/*
 * Loaded before a server under attack: notes each turn of its event loop that used more CPU time of its thread than a task may. A turn can
 * hold several tasks, so what it notes is an upper bound. CPU time and not duration: a busy computer makes a turn longer and not costlier.
 */
const file = process.env.LOOP_WATCH_FILE
const noticeMs = 50
const everyMs = 5

const usedMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

if (file !== undefined && isMainThread) {
  let before = usedMs()
  const look = (): void => {
    const now = usedMs()
    if (now - before > noticeMs) appendFileSync(file, `${Date.now()} ${(now - before).toFixed(0)} ${process.pid}\n`)
    before = usedMs()
    setTimeout(look, everyMs).unref()
  }
  // What a process does to start is no task of a customer.
  setTimeout(look, everyMs).unref()
}
