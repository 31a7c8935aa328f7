// Conversion of a message of a bucket's stream to a bucket entry.
import type { Msg, MsgHdrs } from '@nats-io/transport-node'
import { bucketSubject } from '#shared/bus/declarations.ts'
import type { Position } from '#shared/bus/nats/nats-consumer.ts'
import { jsonOf } from '#shared/bus/nats/nats-stream.ts'
import type { BucketEntry, BucketName } from '#shared/bus/port.ts'

export const operationHeader = 'KV-Operation'

export const keyOf = (name: BucketName, subject: string): string => subject.slice(bucketSubject(name, '').length)

export const bucketEntryOf = (name: BucketName, message: Msg, position: Position): BucketEntry => ({
  key: keyOf(name, message.subject),
  revision: position.sequence,
  at: position.at,
  value: isRemoval(message.headers) ? null : jsonOf(message),
})

/** Returns true for a deletion by a client, and for the marker that a server leaves for an expired entry. */
export const isRemoval = (headers: MsgHdrs | undefined): boolean =>
  headers !== undefined && (headers.has(operationHeader) || headers.has('Nats-Marker-Reason'))
