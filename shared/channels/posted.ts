// Requests of channels that post a body to the address in their setting `url`. Pure.
import type { MessagePayload, RenderedRequest } from './port.ts'
import { slot } from './slots.ts'

/** Returns the request with this finished body. */
export const carried = ({ contentType, body }: MessagePayload): RenderedRequest => ({
  method: 'POST',
  url: [slot('url')],
  headers: {},
  contentType,
  body,
})

/** Returns the request with this body as JSON. */
export const posted = (body: object): RenderedRequest => carried({ contentType: 'application/json', body: JSON.stringify(body) })
