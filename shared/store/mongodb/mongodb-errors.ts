// Conversion of errors of the MongoDB driver to errors of the port. `unavailable`: the caller may retry, and the outcome may be unknown.
// `permanent`: no retry can succeed. No error contains the connection string, which may contain a password.
import {
  MongoBulkWriteError,
  MongoError,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoSystemError,
  MongoTopologyClosedError,
} from 'mongodb'
import { StoreError } from '#shared/store/port.ts'

export const duplicateKey = 11000

/**
 * Error codes of the server after which the same operation may succeed: elections, shutdowns, time limits, conflicts, unmet write
 * concerns.
 */
const passingCodes = new Set([
  6, 7, 50, 63, 64, 79, 89, 91, 100, 112, 133, 134, 189, 262, 317, 358, 384, 9001, 10058, 10107, 11600, 11602, 13435, 13436,
])

const passingLabels = ['RetryableWriteError', 'TransientTransactionError', 'SystemOverloadedError']

/** Returns the StoreError for any thrown value. */
export function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  // The driver wraps a connection error during a bulk write as if it were a response of the server.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error) return storeErrorOf(error.errorResponse)
  const message = error instanceof Error ? error.message : String(error)
  if (isPassing(error)) {
    const unavailable = new StoreError('unavailable', `The database does not answer: ${message}.`, error)
    return nobodyListens(error) ? Object.assign(unavailable, { nobodyListens: true as const }) : unavailable
  }
  return new StoreError('permanent', `The database will not take this: ${message}.`, error)
}

/** Codes of connections that are refused, and of names that do not exist. */
const nobody = new Set(['ECONNREFUSED', 'ENOTFOUND'])

/** Whether every server that the driver knows of has refused the connection, or has a name that does not exist. */
function nobodyListens(error: unknown): boolean {
  const servers = error instanceof MongoServerSelectionError ? [...(error.reason?.servers.values() ?? [])] : []
  return servers.length > 0 && servers.every(({ error: refusal }) => codesOf(refusal).some(code => nobody.has(code)))
}

/** Returns the codes of an error and of its causes. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const several = error instanceof AggregateError ? error.errors.flatMap(codesOf) : []
  return [String((error as { code?: unknown }).code), ...several, ...codesOf(error.cause)]
}

function isPassing(error: unknown): boolean {
  // If a socket fails during a write, the driver throws the error of the operating system unchanged.
  if (!(error instanceof MongoError))
    return error instanceof Error && /^(E(?!RR_)|ERR_STREAM)/.test(String((error as { code?: unknown }).code))
  if (passingLabels.some(label => error.hasErrorLabel(label))) return true
  if (error instanceof MongoServerError)
    return passingCodes.has(Number(error.code)) || error.errorResponse?.['writeConcernError'] !== undefined
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoSystemError ||
    error instanceof MongoOperationTimeoutError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoExpiredSessionError ||
    error.name === 'MongoWaitQueueTimeoutError' ||
    error.name === 'MongoPoolClosedError' ||
    error.name === 'MongoPoolClearedError' ||
    error.name === 'MongoClientClosedError'
  )
}
