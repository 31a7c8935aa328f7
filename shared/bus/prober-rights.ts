// What a prober may do on the bus, and nothing else. Probers have an account of their own: what they reach of the house is imported
// by name, so that whatever the server answers them, on whatever reply subject they name, stays on their side. (In one account a
// prober could make the server write an acknowledgement over another location's check entry, or send it as a command.)
import { bucketStream, bucketSubject } from '#shared/bus/declarations.ts'
import { limits } from '#shared/limits.ts'

/** The tag that tells a prober's credentials from all others. */
export const proberTag = 'prober'

/** Where an account without JetStream finds the house's: `$JS.API` is its own. */
export const proberApiPrefix = 'HOUSE.API'
const houseApiPrefix = '$JS.API'

/** The inbox of one credential: what is sent to it nobody else can hear. */
export const proberInboxPrefix = (publicKey: string): string => `_INBOX_${publicKey}`

interface Shared {
  subject: string
  /** Where probers see it. */
  local: string
  /** Messages answer it rather than one. */
  streamed: boolean
}

/** Reading keys of a bucket through one filter of a consumer's own; the filter is part of the subject, so the server checks it. */
const reading = (bucket: 'checks' | 'presence', filters: string[]): string[] => [
  ...filters.map(filter => `CONSUMER.CREATE.${bucketStream(bucket)}.*.${bucketSubject(bucket, filter)}`),
  `CONSUMER.MSG.NEXT.${bucketStream(bucket)}.*`,
  `CONSUMER.DELETE.${bucketStream(bucket)}.*`,
  `STREAM.INFO.${bucketStream(bucket)}`,
]

const apis = (location: string, inLocation: string): string[] => [
  // A server before 2.10 says its time only when it makes a consumer; the key `clock` never exists.
  ...reading('checks', [`${location}.>`, ...(location === '*' ? [] : ['clock'])]),
  ...reading('presence', [`prober.${location}.${inLocation}`]),
]

const stores = (location: string): string[] => [`obs.*.${location}.>`, bucketSubject('presence', `prober.${location}.*`)]

/** What the house shows to all probers together; what each may use of it is in its rights. */
const shared: Shared[] = [
  ...stores('*').map(subject => ({ subject, local: subject, streamed: false })),
  ...[...apis('*', '*'), `CONSUMER.CREATE.${bucketStream('checks')}.*.${bucketSubject('checks', 'clock')}`].map(api => ({
    subject: `${houseApiPrefix}.${api}`,
    local: `${proberApiPrefix}.${api}`,
    streamed: api.startsWith('CONSUMER.MSG.NEXT'),
  })),
]

export const houseExports = (): object[] =>
  shared.map(({ subject, streamed }) => ({
    name: subject,
    subject,
    type: 'service',
    response_type: streamed ? 'Stream' : 'Singleton',
  }))

export const proberImports = (houseAccount: string): object[] =>
  shared.map(({ subject, local }) => ({ name: subject, subject, account: houseAccount, local_subject: local, type: 'service' }))

/** The rights of every prober's credential; the server puts in the location (its claims' name) and its public key. */
export const proberTemplate = (): object => ({
  pub: { allow: [...stores('{{name()}}'), ...apis('{{name()}}', '*').map(api => `${proberApiPrefix}.${api}`)] },
  sub: { allow: [`${proberInboxPrefix('{{subject()}}')}.>`] },
  subs: limits.prober.subscriptions,
  data: -1,
  payload: limits.prober.payloadBytes,
})
