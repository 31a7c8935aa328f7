// Entry of the thread that reads and plans configuration. The gateway sends the requests of the thread, and answers other requests meanwhile.
import { parentPort } from 'node:worker_threads'
import { ApiRefusal, type ApiReply, type Clients } from './api.ts'
import { applyFiles, exportWorkspace, faultObject } from './apply-files.ts'
import { FileFault } from './file-fault.ts'
import type { FromThread, Job, JobEnd, JobResult, ToThread } from './messages.ts'

const post = (message: FromThread) => parentPort?.postMessage(message)
const waiting = new Map<number, (reply: ApiReply) => void>()
let calls = 0
let isStopped = false

const send: Clients['send'] = request =>
  new Promise(resolve => {
    waiting.set(++calls, resolve)
    post({ call: calls, request })
  })

function run(job: Job): Promise<JobResult> {
  const clients = { send, workspace: job.workspace }
  if ('export' in job) return exportWorkspace(clients, job.export === 'document')
  return applyFiles(job.apply, clients, { onPlanned: () => post({ isPlanned: true }), isOver: () => isStopped })
}

function endOf(error: unknown): JobEnd {
  if (error instanceof FileFault) {
    return { faults: [error, ...error.others].map(faultObject), sentence: error.message }
  }
  if (error instanceof ApiRefusal) return { refused: { status: error.status, words: error.message } }
  return { broken: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

parentPort?.on('message', (message: ToThread) => {
  if ('stop' in message) isStopped = true
  else if ('job' in message) {
    isStopped = false
    run(message.job).then(
      result => post({ end: { result } }),
      error => post({ end: endOf(error) }),
    )
  } else {
    waiting.get(message.replyTo)?.(message.reply)
    waiting.delete(message.replyTo)
  }
})
