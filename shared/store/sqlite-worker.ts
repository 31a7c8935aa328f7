// The thread that owns the SQLite file. It runs everything that waits in one transaction (group commit), as far as its memory allows, and
// answers only after COMMIT. An operation that fails in itself is rolled back to its savepoint and fails alone.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { limits } from '#shared/limits.ts'
import { failureOf } from '#shared/store/sqlite-errors.ts'
import { openSqliteFile, type SqliteFile } from '#shared/store/sqlite-file.ts'
import {
  type Answer,
  charactersOf,
  type Failure,
  type Operation,
  type Outcome,
  type Request,
} from '#shared/store/sqlite-messages.ts'
import { runOperation } from '#shared/store/sqlite-operations.ts'
import type { SqlValue } from '#shared/store/sqlite-query.ts'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker thread only.')

const { path } = workerData as { path: string }
/** Lists of numbers are moved to the other thread, not copied. */
const say = (answer: Answer) => port.postMessage(answer, 'outcomes' in answer ? buffersOf(answer.outcomes) : [])

const buffersOf = (outcomes: readonly (Outcome | Failure)[]) =>
  outcomes.flatMap(outcome => (outcome instanceof Float64Array ? [outcome.buffer] : []))

interface Arrived {
  number: number
  operation: Operation
}

interface Arrivals {
  /** Null: all that had arrived was taken. */
  next(): Arrived | null
  /** Whether one of the requests so far closes the file. */
  closes(): boolean
}

/** The operations that have arrived, the given request's first. Of further messages each is taken in when those before it are done. */
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
 * Runs operations in one transaction: all that have arrived, or until they have read as much as one answer holds. When the transaction
 * fails, every one of them has failed.
 */
function commitSome(file: SqliteFile, first: Arrived, arrivals: Arrivals): Answer {
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
    if (file.inTransaction()) file.run('ROLLBACK')
    const failure: Failure = { ...failureOf(error, path), kind: 'unavailable' }
    return { numbers, outcomes: numbers.map(() => failure) }
  }
}

/** Throws only where the whole transaction is lost, as SQLite does by itself when the disk is full or broken. */
function runOne(file: SqliteFile, { number, operation }: Arrived): Outcome | Failure {
  const tell = (values: SqlValue[]) => say({ part: number, values })
  const writes = isWrite(operation)
  try {
    if (!writes) return runOperation(file, operation, tell)
    file.run('SAVEPOINT operation')
    const outcome = runOperation(file, operation, tell)
    file.run('RELEASE operation')
    return outcome
  } catch (error) {
    if (!file.inTransaction()) throw error
    if (writes) file.run('ROLLBACK TO operation')
    if (writes) file.run('RELEASE operation')
    return failureOf(error, path)
  }
}

const isWrite = ({ kind }: Operation): boolean => kind === 'put' || kind === 'change' || kind === 'changeByKey'

/** Whether the file is another one now: puts say which rows they wrote, changes how many. */
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
} catch (error) {
  say({ ready: false, failure: failureOf(error, path) })
}
