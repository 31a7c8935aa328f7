// Slot for the token of an acknowledge link: an attempt makes the token, so no stored message has one. Pure. Rules: docs/reference/v3.md,
// 10.21.
import type { RequestFrame, Slotted } from '#shared/contracts/notifications/delivery.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import type { RenderedRequest, Settings } from './port.ts'
import { slot } from './slots.ts'

/** Key of the slot. No setting has it. */
const key = '.token'

/** Values of the slots of a message with such a link. */
export const withToken = (values: Settings, token: string): Settings => ({ ...values, [key]: token })

/** Returns the request with a slot wherever it has the stand-in, an unguessable text of letters and digits, in its body. */
export function withAcknowledgeSlot(request: RenderedRequest, standIn: string): RenderedRequest {
  if (!request.body.includes(standIn)) return request
  const { slottedBody = request.body, mail } = request
  return {
    ...request,
    body: request.body.replaceAll(standIn, hidden),
    slottedBody: slottedAt(slottedBody, standIn),
    acknowledges: true,
    ...(mail === undefined ? {} : { mail: { ...mail, html: slottedAt(mail.html, standIn) } }),
  }
}

export const isWithToken = (request: Partial<RequestFrame> | undefined): boolean => request?.acknowledges === true

const slottedAt = (text: Slotted, standIn: string): Slotted =>
  (typeof text === 'string' ? [text] : text).flatMap(part =>
    typeof part === 'string' ? part.split(standIn).flatMap((piece, i) => (i === 0 ? [piece] : [slot(key), piece])) : [part],
  )
