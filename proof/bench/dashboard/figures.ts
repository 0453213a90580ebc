import { measured, type Outcome } from '../../lab/report/outcome.ts'

/** One measured figure and its budget. */
export type Figure = {
  what: string
  value: number
  unit: 'KB' | 'MB' | 's' | 'ms' | '%' | 'elements'
  most: number
  /** The slowest page, or the number of samples. */
  note?: string
}

export type Verdict = 'within' | 'over'

export const verdictOf = ({ value, most }: Figure): Verdict => (value <= most ? 'within' : 'over')

export const outcomeOf = ({ figures }: { figures: readonly Figure[] }): Outcome => ({
  claims: figures.map((figure) =>
    measured(
      figure.what,
      verdictOf(figure) === 'within',
      `${printValue(figure)}, at most ${figure.most} ${figure.unit}`,
    ),
  ),
  metrics: [],
})

const digits: Readonly<Record<Figure['unit'], number>> = { KB: 1, MB: 1, s: 2, ms: 0, '%': 0, elements: 0 }

/** The browser reports no task below 50 ms. */
export const printValue = ({ value, unit }: Pick<Figure, 'value' | 'unit'>): string =>
  value === 0 && unit === 'ms' ? 'below 50 ms' : printNumber({ value, unit })

const printNumber = ({ value, unit }: Pick<Figure, 'value' | 'unit'>): string =>
  `${value.toLocaleString('en', { minimumFractionDigits: digits[unit], maximumFractionDigits: digits[unit] })} ${unit}`

/** The share of its budget that a figure uses. The table is the same on a faster machine, only smaller. */
export const shareOf = ({ value, most }: Figure): string => `${Math.round((100 * value) / most)} %`
