// Message for one attempt: the request of a delivery with the present values of its slots, and the headers that its channel has. Pure.
import { withToken } from '#shared/channels/acknowledge-slot.ts'
import type { Channel, ChannelAnswer, ChannelReading, Configured, RenderedRequest, Settings } from '#shared/channels/port.ts'
import { holdsClosed } from '#shared/channels/sealed-destinations.ts'
import { settingsOf } from '#shared/channels/settings.ts'
import { filled } from '#shared/channels/slots.ts'
import type { DeliveryEvent } from '#shared/contracts/notifications/delivery.ts'
import { headersOf } from '#shared/net/header-lines.ts'
import type { Marks, Message } from './sender.ts'

interface Occasion {
  event?: DeliveryEvent
  /** Token of the acknowledge link; absent: the message has none. */
  token?: string
}

export function messageTo(
  channel: Channel,
  destination: Configured,
  request: RenderedRequest,
  marks: Marks,
  occasion: Occasion = {},
): Message {
  const { event, token } = occasion
  const settings = settingsOf(channel, destination)
  const values = token === undefined ? settings : withToken(settings, token)
  const { method, url, headers, headerLines, contentType, body, slottedBody, mail } = request
  const further = headersOf(listOf(headerLines === undefined ? undefined : values[headerLines.slot]))
  return {
    method,
    url: filled(url, values),
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, filled(text, values)])),
      ...Object.fromEntries(further.map(({ name, value }) => [name.toLowerCase(), value])),
    },
    contentType,
    body: slottedBody === undefined ? body : filled(slottedBody, values),
    marks: channel.isSigned && method !== 'GET' ? marks : null,
    ...(holdsClosed(destination.settings) ? { isClosed: true as const } : {}),
    secrets: [...secretsOf(channel, values), ...(token === undefined ? [] : [token])],
    read: answer => readBy(channel, event === undefined ? answer : { ...answer, event }),
    mail:
      mail === undefined
        ? null
        : {
            ...{ ...mail, html: filled(mail.html, values), id: marks.idempotencyKey },
            ...{ to: listOf(values['to']), from: String(values['from'] ?? '') },
          },
    to: moved =>
      messageTo(channel, { ...destination, settings: { ...destination.settings, ...moved } }, request, marks, occasion),
  }
}

/** Where a success says only that the message was taken, it was accepted. */
function readBy(channel: Channel, answer: ChannelAnswer): ChannelReading {
  const reading = channel.read(answer)
  const isSuccess = answer.status >= 200 && answer.status < 300
  return reading.kind === 'delivered' && isSuccess && channel.answers === 'accepted' ? { kind: 'accepted' } : reading
}

/** What belongs to a person, such as a telephone number, is nobody else's business either. */
const secretsOf = ({ fields }: Channel, values: Settings): string[] =>
  fields
    .filter(({ mark, isPersonal, key }) => (mark === 'secret' || isPersonal) && values[key] !== undefined)
    .flatMap(({ key }) => (Array.isArray(values[key]) ? linesToHide(listOf(values[key])) : [String(values[key])]))

/** Header lines, and the value of each. */
const linesToHide = (lines: readonly string[]): string[] => [...lines, ...headersOf(lines).map(({ value }) => value)]

const listOf = (value: Settings[string] | undefined): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
