/** A value of an enumeration in a response. The service can add values, so any string is possible. */
export type Open<Known extends string> = Known | (string & Record<never, never>)
