// Port of a channel: what a type of destination is, how it words a message, and what an answer of its far end means. Pure: no clock, network,
// store or randomness. Senders, retries, lanes and the log know channels only by this port (ADR 38).
import type { AlertDocument, AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { BodyType, DeliveryEvent, RequestFrame } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument, SettingStep, SettingValue } from '#shared/contracts/notifications/destination.ts'

/** One setting of a destination. */
export interface ChannelField {
  key: string
  label: string
  /** One sentence for people: where to get the value, or what it does. */
  help: string
  type: 'string' | 'url' | 'integer' | 'boolean' | 'enum' | 'string_list' | 'steps'
  /**
   * `secret`: never returned. `address`: says where messages go. Both may be changed while messages wait, and stand in a message as slots.
   * `shape`: says how messages look; a message keeps the values with which it was made.
   */
  mark: 'secret' | 'address' | 'shape'
  /** True: it says at which service something is opened, which is ended there. */
  isPlace?: true
  /** Absent: the setting may be unset. */
  isRequired?: true
  /** Absent: none. */
  default?: SettingValue
  /** Whether a text has the form that it needs; `must` is the end of the sentence `Field '<key>' must …`. Absent: any text. */
  fits?: (text: string) => boolean
  must?: string
  /** Allowed values of an enum. */
  options?: readonly string[]
  /** Largest number of characters of each text of a list; absent: as of a text. */
  characters?: number
  /** Bounds of an integer, of the items or steps of a list, or of the characters of a text. Absent: those of `boundsOf`. */
  min?: number
  max?: number
  /** Set for what belongs to a person, such as a telephone number: answers that quote it are shown without it. */
  isPersonal?: true
  /** True: the setting is a member of the destination itself, where generation 3 had it before types had settings of their own. */
  isTop?: true
}

/** Settings by key. Unset settings are absent. */
export type Settings = Readonly<Record<string, SettingValue>>

export interface MessagePayload {
  contentType: BodyType
  body: string
}

/** A request or a mail, stored with its delivery. If its body has slots, `body` is what the delivery log shows. */
export interface RenderedRequest extends RequestFrame, MessagePayload {}

/** What a message is about, with everything that its words need. */
export interface MessageFacts {
  alert: AlertDocument
  /** Id of the incident, as the API shows it. */
  incident: string
  /** Returns the name of a location; its id if the location was deleted. */
  locationName(locationId: string): string
  /** Present: the message is a digest of several; `alert` is the worst of them. */
  digest?: DigestFacts
  /** How long nobody has taken the incident, ms, in the message of an escalation's step; absent: the message is none. */
  untakenMs?: number
}

export interface DigestFacts {
  /** The listed messages, in their order. */
  alerts: readonly AlertDocument[]
  /** Numbers of all its messages, in the order in which the title says them. Several about one incident count once, by the last one. */
  counts: ReadonlyMap<AlertKind, number>
}

export interface MessageLinks {
  /** Page of the subject, with its timeline. */
  subject: string
  /** Page on which its reader takes the incident on, without signing in; absent: the message has none. */
  acknowledge?: string
}

/** The answer of a far end. */
export interface ChannelAnswer {
  status: number
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Beginning of the body, at most limits.notifier.answerBytes; empty of a success, and of an answer from inside the network. */
  body: string
  /** Instant of the answer, ms since the epoch. */
  at: number
  /** What the message was about; absent: unknown. */
  event?: DeliveryEvent
}

/**
 * Meaning of an answer. `accepted`: the far end took the message, and does not say whether it arrived. `again`: another attempt may succeed,
 * after `afterMs` if the far end named a pause; `lane`: until then no message to this destination can succeed. `failed`: no attempt will
 * succeed; `sentence` says what a person can do about it, and quotes nobody if it `isOwn`. `moved`: the message must go to these settings, at
 * once.
 */
export type ChannelReading =
  | { kind: 'delivered' }
  | { kind: 'accepted' }
  | { kind: 'again'; afterMs: number | null; lane?: true }
  | { kind: 'failed'; sentence?: string; isOwn?: true }
  | { kind: 'moved'; settings: Settings }

/**
 * At most so many messages to one destination in so much time. `inTurn`: of the places that were taken one is free again each `inMs`; absent:
 * each is free again `inMs` after it was taken.
 */
export interface Spacing {
  messages: number
  inMs: number
  inTurn?: true
}

export interface Channel {
  /** Its word in the API and in documents. */
  type: string
  /** Its name for people. */
  name: string
  /** One sentence: what the far end is. */
  help: string
  /** Whether a later message changes an earlier one (`message`), or what is sent stays open until it is ended (`alert`). */
  life: 'none' | 'message' | 'alert'
  /** Whether a success (2xx) says that the message arrived, or that it was taken. */
  answers: 'delivered' | 'accepted'
  /** In the order of forms. */
  fields: readonly ChannelField[]
  /** Returns the key of a setting that does not fit the others, and the end of the sentence `Field '<key>' …`; null: all fit. Absent: any do. */
  refuse?(settings: Settings): { key: string; fault: string } | null
  /** Of a type that sends nothing itself: the destinations to which it passes messages, by their ids, the earliest first. Absent: it sends. */
  stepsOf?(settings: Settings): readonly SettingStep[]
  /** What a person reads after a test message was taken. Absent: that it was delivered. */
  tested?: string | ((settings: Settings) => string)
  /** How fast a notifier sends to one destination; all of these hold. Absent: as fast as the far end answers. */
  spacing?: readonly Spacing[] | ((settings: Settings) => readonly Spacing[])
  /** Earlier generations of the API that show and make this type, besides generation 3. */
  generations: readonly (1 | 2)[]
  /** Whether requests have an idempotency key and the headers of Standard Webhooks. */
  isSigned: boolean
  /** Schema of the body that `render` makes, for the documents of the API; absent: not documented. */
  documented?: { schema: object; more?: string }
  /** Makes text from outside safe for the far end: it cannot mention, format or link. */
  neutralise(text: string): string
  /** Returns the request; null: there is nothing to say about this event. Of a secret or an address, `settings` has true if it is set. */
  render(facts: MessageFacts, event: DeliveryEvent, settings: Settings, links: MessageLinks): RenderedRequest | null
  /** Returns a request that carries a finished body: of a payload template, or a message to the operator. Absent: the type takes none. */
  carry?(payload: MessagePayload, settings: Settings): RenderedRequest
  /** Network errors and time-outs never reach it. */
  read(answer: ChannelAnswer): ChannelReading
}

/** Members of a stored destination that hold its settings. */
export type Configured = Pick<DestinationDocument, 'type' | 'url' | 'channel' | 'sendOnOpen' | 'settings'>
