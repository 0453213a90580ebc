/**
 * Gives the runs and the results of batches in an object of the API their `output_text`: the object itself, the items of a
 * list, the data of an event, or the run of a frame.
 */
export const withOutputText = (value: unknown): unknown => {
  if (!isObject(value)) return value
  const { data, run } = value
  for (const each of [value, run, ...(Array.isArray(data) ? data : [data])]) {
    if (isObject(each) && (each.object === 'run' || each.object === 'batch_result')) each.output_text = textOf(each)
  }
  return value
}

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const textOf = ({ output }: Fields): string | null =>
  isObject(output) && typeof output.result === 'string' ? output.result : null
