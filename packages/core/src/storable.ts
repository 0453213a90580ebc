/** Without NUL and halves of surrogate pairs, which Postgres rejects in a text and in a JSON value that it splits. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** Whether a text that `JSON.stringify` made has neither of them, so that Postgres can split it. */
export const isStorableJson = (json: string): boolean => !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json)
