// Entry of the thread that matches patterns, one at a time. It ends with its parent.
import { parentPort } from 'node:worker_threads'
import { hasMatch } from '#shared/checks/http/pattern.ts'
import type { Match } from './pattern-thread.ts'

parentPort?.on('message', ({ pattern, texts }: Match) => {
  parentPort?.postMessage(texts.some(text => hasMatch(pattern, text)))
})
