// Requests of channels that post a body to the address in their setting `url`. Pure.
import type { Slotted } from '#shared/contracts/notifications/delivery.ts'
import type { MessagePayload, RenderedRequest } from './port.ts'
import { joined, slot, slottedJson, withoutValues } from './slots.ts'

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

/** Returns a request with a body that may have slots, as JSON. `frame`: the rest of it; POST, and no header of its own, unless said. */
export function requestOf(frame: Pick<RenderedRequest, 'url'> & Partial<RenderedRequest>, body: object): RenderedRequest {
  const slotted = slottedJson(body)
  const payload = { contentType: 'application/json' as const, body: withoutValues(slotted) }
  return { method: 'POST', headers: {}, ...frame, ...payload, ...(typeof slotted === 'string' ? {} : { slottedBody: slotted }) }
}

/** Returns a request with a form as its body. `members`: each as `<name>=<value>`, encoded. */
export function formOf(frame: Pick<RenderedRequest, 'url' | 'headers'>, members: readonly Slotted[]): RenderedRequest {
  const slottedBody = joined(members, '&')
  const contentType = 'application/x-www-form-urlencoded' as const
  return { method: 'POST', ...frame, contentType, body: withoutValues(slottedBody), slottedBody }
}
