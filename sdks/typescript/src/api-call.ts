/** A call in progress. Await it for the data, or `withResponse()` for status and headers too. */
export type ApiCall<Data> = Promise<Data> & {
  /** The data, the HTTP response (its body is consumed) and the request id, to quote to the operator. */
  withResponse(): Promise<WithResponse<Data>>
}

export type WithResponse<Data> = { data: Data; response: Response; requestId: string | null }

/** What the transport returns: the parsed body and its response. */
export type Answered<Data = unknown> = { data: Data; response: Response }

export const apiCall = <Data>(answered: Promise<Answered<Data>>): ApiCall<Data> => {
  const data = answered.then((answer) => answer.data)
  return Object.assign(data, {
    withResponse: async (): Promise<WithResponse<Data>> => {
      // Both promises fail together. Who asks for the response handles the failure here.
      data.catch(() => undefined)
      const { response, data: body } = await answered
      return { data: body, response, requestId: response.headers.get('x-request-id') }
    },
  })
}
