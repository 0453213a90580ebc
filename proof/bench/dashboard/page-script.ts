/**
 * What runs inside the page, as text: the rest of the bench runs in Node and does not know the names of a browser. The page
 * keeps its longest task, its slowest interaction and its largest paint.
 */
export const watchPage = `
  globalThis.benchWatch = { longestMs: 0, slowestMs: 0, lcpMs: 0 }
  const observe = (type, see, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true, ...options })
  observe('longtask', ({ duration }) => {
    benchWatch.longestMs = Math.max(benchWatch.longestMs, duration)
  })
  observe('largest-contentful-paint', ({ startTime }) => {
    benchWatch.lcpMs = startTime
  })
  observe('event', ({ interactionId, duration }) => {
    if (interactionId !== 0) benchWatch.slowestMs = Math.max(benchWatch.slowestMs, duration)
  }, { durationThreshold: 16 })`

/** After the frame that follows, since the browser reports events when they are painted. */
export const takeWatch = `(async () => {
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))
  const taken = { ...benchWatch }
  Object.assign(benchWatch, { longestMs: 0, slowestMs: 0 })
  return taken
})()`

export const countElements = `document.querySelectorAll('*').length`

/** Nothing is loading any more. */
export const drawn = `new Promise((resolve) => {
  const look = () => (document.querySelector('[aria-busy="true"]') ? setTimeout(look, 5) : resolve(true))
  look()
})`

/** The page has nothing to do for the moment. Its stream of events stays open, so the network is never idle. */
export const idle = 'new Promise((resolve) => requestIdleCallback(() => resolve(true), { timeout: 3000 }))'

/** Scrolls to the end of what is loaded, again and again, until the list holds this number of rows. Answers how many it holds. */
export const scrollTo = (rows: number): string => `(async () => {
  const table = document.querySelector('table[aria-rowcount]')
  const scroller = table.parentElement
  const count = () => Number(table.getAttribute('aria-rowcount')) - 1
  for (let patience = 3000; count() < ${rows} && patience > 0; ) {
    const before = count()
    scroller.scrollTop = scroller.scrollHeight
    await new Promise((resolve) => setTimeout(resolve, 10))
    patience = count() > before ? 3000 : patience - 1
  }
  return count()
})()`
