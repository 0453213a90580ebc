/**
 * The SQL of a page that ends early by bytes. The first row always fits, so that every row can be read. `found` is the
 * number of rows of the page before it was cut. Large values are not read for the rows that do not fit: they stay out of
 * line until the outer select.
 */
export const fittingPage = (rows: string, shape: PageShape): string => {
  const { begin, middle, end } = fittingFrame(shape)
  return `${begin}${rows}${middle}:maxBytes${end}`
}

export type PageShape = {
  /** The columns of the whole page. It has one more, `bytes`, the size of a row. */
  inner: string
  /** The columns of the result, if they differ. */
  columns?: string
  /** As in `order by`. */
  order: string
}

/** The same for a query in parts: `begin`, the query of the whole page, `middle`, the maximum of bytes, `end`. */
export const fittingFrame = ({ inner, columns = inner, order }: PageShape) => ({
  begin: `select ${columns}, bytes, found
     from (
       select ${inner}, coalesce(bytes, 0)::integer as bytes, (count(*) over ())::integer as found,
              coalesce(sum(bytes) over (order by ${order} rows between unbounded preceding and 1 preceding), 0) as bytes_before
         from (`,
  middle: `) page
     ) sized
    where bytes_before < `,
  end: ` order by ${order}`,
})

/** A row of a fitting page. */
export type Fitting<Row> = Row & { bytes: number; found: number }

/** Whether more rows follow, although the page is not full. */
export const isCut = (rows: readonly { found: number }[]): boolean => rows.length < (rows[0]?.found ?? 0)
