// What a sender is, the messages that it takes, and its options.
import type { Channel, Settings } from '#shared/channels/port.ts'
import type { BodyType, MailFrame, RequestMethod } from '#shared/contracts/notifications/delivery.ts'
import type { Egress } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Outcome } from './outcome.ts'

/** Values of a message that never change between attempts. */
export interface Marks {
  idempotencyKey: string
  /** Instant at which the message was made, ms since the epoch. */
  madeAt: number
  /** Value of the header `webhook-signature`; null: the message is not signed. */
  signature: string | null
}

/** A message, as one attempt sends it. */
export interface Message {
  method: RequestMethod
  url: string
  /** Headers of the channel, names in lower case. */
  headers: Readonly<Record<string, string>>
  contentType: BodyType
  body: string
  /** Idempotency key, and the signature of Standard Webhooks; null: the channel has neither. */
  marks: Marks | null
  /** Set if a secret of the destination is sealed with a key that is not known here: the message must not be sent as it is. */
  isClosed?: true
  /** Values that no outcome may quote. */
  secrets: readonly string[]
  /** Returns the meaning of the answer. */
  read: Channel['read']
  /** Null: it is no mail. */
  mail: Mail | null
  /** Returns the message with other settings. */
  to(settings: Settings): Message
}

/** A mail; its text is the body of the message, and its server the address. */
export interface Mail extends Omit<MailFrame, 'html'> {
  html: string
  /** Unique and the same at every attempt. */
  id: string
  to: readonly string[]
  /** Empty: that of the installation. */
  from: string
}

export interface Sender {
  /** Sends a message. Resolves within `timeoutMs`, by default limits.notifier.sendMs. */
  send(message: Message, stop: AbortSignal, timeoutMs?: number): Promise<Outcome>
  /** Loads the HTTP client, so that the first message does not wait for it. May be retried after it rejected. */
  prepare(): Promise<void>
  close(): Promise<void>
}

export interface SenderOptions {
  clock: Clock
  version: string
  serviceUrl: string
  /** Rules for the addresses to which messages may be sent; absent: the built-in rules of every installation. */
  egress?: Egress
  resolve?: Resolve
  /** The mail server of the installation and its sender; absent or empty: none. */
  mail?: { server: string; from: string }
}
