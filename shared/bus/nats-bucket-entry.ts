// A message of a bucket's stream as the entry that it is.
import type { Msg, MsgHdrs } from '@nats-io/transport-node'
import { bucketSubject } from '#shared/bus/declarations.ts'
import type { Position } from '#shared/bus/nats-consumer.ts'
import { jsonOf } from '#shared/bus/nats-stream.ts'
import type { BucketEntry, BucketName } from '#shared/bus/port.ts'

export const operationHeader = 'KV-Operation'

export const keyOf = (name: BucketName, subject: string): string => subject.slice(bucketSubject(name, '').length)

export const bucketEntryOf = (name: BucketName, message: Msg, position: Position): BucketEntry => ({
  key: keyOf(name, message.subject),
  revision: position.sequence,
  at: position.at,
  value: isRemoval(message.headers) ? null : jsonOf(message),
})

/** A deletion by a client, or the mark that a server leaves for an entry that expired. */
export const isRemoval = (headers: MsgHdrs | undefined): boolean =>
  headers !== undefined && (headers.has(operationHeader) || headers.has('Nats-Marker-Reason'))
