import { type MetricName, type MetricRow, metricList } from '@ars/core/metric-list'
import { unreadable } from '@ars/platform/metrics'
import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api'

type NameOf<Kind extends MetricRow['kind']> = {
  [Name in MetricName]: (typeof metricList)[Name]['kind'] extends Kind ? Name : never
}[MetricName]

type Observe = (value: number, labels?: Attributes) => void

/** Makes the instruments of the list. A metric that is not on it does not compile. */
export type Instruments = {
  counter(name: NameOf<'counter'>): Counter
  histogram(name: NameOf<'histogram'>): Histogram
  /** Read at each scrape. If `read` fails, the metric has no value, unless it has observed one. */
  gauge(name: NameOf<'gauge'>, read: (observe: Observe) => void | Promise<void>): void
  /** A counter whose value is kept elsewhere, read at each scrape. */
  countedElsewhere(name: NameOf<'counter'>, read: (observe: Observe) => void): void
}

export const createInstruments = (meter: Meter): Instruments => ({
  counter: (name) => meter.createCounter(bare(name), optionsOf(name)),
  histogram: (name) => meter.createHistogram(name, { unit: 's', ...optionsOf(name) }),
  gauge: (name, read) => {
    // The exporter repeats the last value of labels that are not observed. They are therefore observed as unreadable.
    let known = new Map<string, Attributes>()
    meter.createObservableGauge(name, optionsOf(name)).addCallback(async (gauge) => {
      const seen = new Map<string, Attributes>()
      const observe: Observe = (value, labels = {}) => {
        seen.set(JSON.stringify(labels), labels)
        gauge.observe(value, labels)
      }
      try {
        await read(observe)
      } catch {
        // The source could not be read.
      }
      for (const [key, labels] of known) if (!seen.has(key)) gauge.observe(unreadable, labels)
      known = new Map([...known, ...seen])
    })
  },
  countedElsewhere: (name, read) =>
    meter
      .createObservableCounter(bare(name), optionsOf(name))
      .addCallback((counter) => read((value, labels = {}) => counter.observe(value, labels))),
})

/** The exporter adds the suffix. */
const bare = (name: NameOf<'counter'>): string => name.replace(/_total$/, '')

const optionsOf = (name: MetricName): { description: string } => ({
  description: metricList[name].description.replaceAll('`', ''),
})
