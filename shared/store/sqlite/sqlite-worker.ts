// The worker thread, the only writer of the SQLite file. It runs all waiting operations in one transaction (group commit), as far as its
// memory allows, and responds only after COMMIT. An operation that fails is rolled back to its savepoint; the other operations are not
// affected.
import { flushCompileCache } from 'node:module'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { limits } from '#shared/limits/limits.ts'
import { failureOf } from '#shared/store/sqlite/sqlite-errors.ts'
import { openSqliteFile, type SqliteFile } from '#shared/store/sqlite/sqlite-file.ts'
import {
  charactersOf,
  type Failure,
  type Operation,
  type Outcome,
  type Request,
  type WorkerAnswer,
} from '#shared/store/sqlite/sqlite-messages.ts'
import { runOperation } from '#shared/store/sqlite/sqlite-operations.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker thread only.')

const { path } = workerData as { path: string }
/** Sends a message to the caller's thread. Lists of numbers are transferred, not copied. */
const say = (answer: WorkerAnswer) => port.postMessage(answer, 'outcomes' in answer ? buffersOf(answer.outcomes) : [])

const buffersOf = (outcomes: readonly (Outcome | Failure)[]) =>
  outcomes.flatMap(outcome => (outcome instanceof Float64Array ? [outcome.buffer] : []))

interface Arrived {
  number: number
  operation: Operation
}

interface Arrivals {
  /** Returns the next operation; null: no further operation has arrived. */
  next(): Arrived | null
  /** Returns true if one of the requests received so far closes the file. */
  closes(): boolean
}

/**
 * Iterates over the operations that have arrived, beginning with the given request. Reads the next message from the port only when all
 * operations of the current message were returned.
 */
function arrivalsFrom(first: Request): Arrivals {
  let request: Request | undefined = first
  let taken = 0
  let closes = false
  const next = (): Arrived | null => {
    while (request !== undefined) {
      const operation = request.operations[taken]
      if (operation !== undefined) return { number: request.first + taken++, operation }
      closes ||= request.close === true
      request = receiveMessageOnPort(port as NonNullable<typeof port>)?.message
      taken = 0
    }
    return null
  }
  return { next, closes: () => closes }
}

/**
 * Runs operations in one transaction, until no further operation is waiting, or until the values read so far fill one message. If the
 * transaction fails, all operations in it fail.
 */
function commitSome(file: SqliteFile, first: Arrived, arrivals: Arrivals): WorkerAnswer {
  const numbers = [first.number]
  const outcomes: (Outcome | Failure)[] = []
  let characters = 0
  let changes = false
  try {
    file.run('BEGIN')
    for (let one: Arrived | null = first; one !== null; ) {
      const outcome = runOne(file, one)
      outcomes.push(outcome)
      changes ||= hasChanged(one.operation, outcome)
      if (Array.isArray(outcome)) characters += charactersOf(outcome)
      one = characters < limits.store.workerCharacters ? arrivals.next() : null
      if (one !== null) numbers.push(one.number)
    }
    file.commit(changes)
    return { numbers, outcomes }
  } catch (error) {
    // If the disk is full or broken, SQLite has already rolled back the transaction by itself.
    if (file.inTransaction()) file.run('ROLLBACK')
    file.markStale()
    const failure: Failure = { ...failureOf(error, path), kind: 'unavailable' }
    return { numbers, outcomes: numbers.map(() => failure) }
  }
}

/** Runs one operation. Throws only if SQLite has rolled back the whole transaction, as it does if the disk is full or broken. */
function runOne(file: SqliteFile, { number, operation }: Arrived): Outcome | Failure {
  const emit = (values: SqlValue[]) => say({ part: number, values })
  const writes = isWrite(operation)
  try {
    if (!writes) return runOperation(file, operation, emit)
    file.run('SAVEPOINT operation')
    const outcome = runOperation(file, operation, emit)
    file.run('RELEASE operation')
    return outcome
  } catch (error) {
    if (!file.inTransaction()) throw error
    if (!writes) return failureOf(error, path)
    file.run('ROLLBACK TO operation')
    file.run('RELEASE operation')
    file.markStale()
    return failureOf(error, path)
  }
}

const isWrite = ({ kind }: Operation): boolean => writing.has(kind)

const writing: ReadonlySet<Operation['kind']> = new Set(['put', 'change', 'changeByKey', 'deleteRange'])

/**
 * Returns true if the operation changed the file. The outcome of a put marks written rows with `w`; the outcome of a change is the number
 * of changed rows.
 */
function hasChanged(operation: Operation, outcome: Outcome | Failure): boolean {
  if (!isWrite(operation)) return false
  if (Array.isArray(outcome)) return outcome.some(letters => String(letters).includes('w'))
  return typeof outcome === 'number' && outcome > 0
}

function answerAll(file: SqliteFile, request: Request): void {
  const arrivals = arrivalsFrom(request)
  for (let one = arrivals.next(); one !== null; one = arrivals.next()) say(commitSome(file, one, arrivals))
  if (!arrivals.closes()) return
  file.close()
  say({ closed: true })
  port?.close()
}

try {
  const file = openSqliteFile(path)
  port.on('message', (request: Request) => answerAll(file, request))
  say({ ready: true })
  // Stores the compiled sources of this thread (infra/cli/watchkeeper.js).
  flushCompileCache()
} catch (error) {
  say({ ready: false, failure: failureOf(error, path) })
}
