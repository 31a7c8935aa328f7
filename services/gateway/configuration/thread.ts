// Entry of the thread that reads and plans configuration. The gateway sends the requests of the thread, and answers other requests meanwhile.
import { parentPort } from 'node:worker_threads'
import { type ApiReply, type Clients, RouteRefusal } from './api.ts'
import { applyFiles, exportWorkspace, faultObject } from './apply-files.ts'
import { FileFault } from './file-fault.ts'
import type { FromThread, Job, JobEnd, JobResult, ToThread } from './messages.ts'

const post = (message: FromThread) => parentPort?.postMessage(message)
const waiting = new Map<number, (reply: ApiReply) => void>()
let calls = 0
let isStopped = false

function run(job: Job, of: number): Promise<JobResult> {
  const send: Clients['send'] = request =>
    new Promise(resolve => {
      waiting.set(++calls, resolve)
      post({ of, call: calls, request })
    })
  const clients = { send, workspace: job.workspace }
  if ('export' in job) return exportWorkspace(clients, job.export === 'document')
  return applyFiles(job.apply, clients, { onPlanned: () => post({ of, isPlanned: true }), isOver: () => isStopped })
}

function endOf(error: unknown): JobEnd {
  if (error instanceof FileFault) {
    return { faults: [error, ...error.others].map(faultObject), sentence: error.message }
  }
  if (error instanceof RouteRefusal) return { refused: { status: error.status, words: error.message } }
  return { broken: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

parentPort?.on('message', (message: ToThread) => {
  if ('stop' in message) isStopped = true
  else if ('job' in message) {
    isStopped = false
    const of = message.number
    run(message.job, of).then(
      result => post({ of, end: { result } }),
      error => post({ of, end: endOf(error) }),
    )
  } else {
    waiting.get(message.replyTo)?.(message.reply)
    waiting.delete(message.replyTo)
  }
})
