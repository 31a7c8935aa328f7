// The thread that owns the SQLite file. It takes everything that waits, runs it in one transaction (group commit), and answers
// only after COMMIT. An operation that fails in itself is rolled back to its savepoint and fails alone.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { openSqliteFile, type SqliteFile } from '#shared/store/sqlite-file.ts'
import type { Answer, Failure, Operation, Outcome, Request } from '#shared/store/sqlite-messages.ts'
import { failureOf, runOperation } from '#shared/store/sqlite-operations.ts'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker thread only.')

const { path } = workerData as { path: string }
const say = (answer: Answer) => port.postMessage(answer)

/** Everything that has arrived by now, the given request first. */
function drain(first: Request): Request[] {
  const requests = [first]
  for (;;) {
    const next = receiveMessageOnPort(port as NonNullable<typeof port>)
    if (next === undefined) return requests
    requests.push(next.message as Request)
  }
}

/** Runs the operations in one transaction; when the transaction fails, every one of them has failed. */
function commitAll(file: SqliteFile, operations: readonly Operation[]): (Outcome | Failure)[] {
  try {
    file.run('BEGIN')
    const outcomes = operations.map(operation => runOne(file, operation))
    file.run('COMMIT')
    return outcomes
  } catch (error) {
    if (file.inTransaction()) file.run('ROLLBACK')
    const failure: Failure = { ...failureOf(error, path), kind: 'unavailable' }
    return operations.map(() => failure)
  }
}

/** Throws only where the whole transaction is lost, as SQLite does by itself when the disk is full or broken. */
function runOne(file: SqliteFile, operation: Operation): Outcome | Failure {
  const writes = operation.kind === 'put' || operation.kind === 'change' || operation.kind === 'changeByKey'
  try {
    if (!writes) return runOperation(file, operation)
    file.run('SAVEPOINT operation')
    const outcome = runOperation(file, operation)
    file.run('RELEASE operation')
    return outcome
  } catch (error) {
    if (!file.inTransaction()) throw error
    if (writes) file.run('ROLLBACK TO operation')
    if (writes) file.run('RELEASE operation')
    return failureOf(error, path)
  }
}

function answer(file: SqliteFile, requests: readonly Request[]): void {
  const numbers = requests.flatMap(({ first, operations }) => operations.map((_, index) => first + index))
  const outcomes = commitAll(
    file,
    requests.flatMap(request => request.operations),
  )
  say({ numbers, outcomes })
  if (!requests.some(request => request.close)) return
  file.close()
  say({ closed: true })
  port?.close()
}

try {
  const file = openSqliteFile(path)
  port.on('message', (request: Request) => answer(file, drain(request)))
  say({ ready: true })
} catch (error) {
  say({ ready: false, failure: failureOf(error, path) })
}
