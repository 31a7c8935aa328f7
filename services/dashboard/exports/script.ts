// The page's client of the worker that reads, plans and imports configuration files. Because of the worker, the page stays responsive, and
// its bundle contains no YAML parser. The worker sends its API requests through the page.
import type {
  ApiFailureWords,
  ExportedFile,
  FromScript,
  PageApi,
  ReadingProgress,
  ScriptQuestion,
  ShownStep,
  ToScript,
} from '#shared/contracts/session/configuration-script.ts'
import { configurationPath, workerPolicy } from '#shared/contracts/session/page-paths.ts'
import { sentenceOf } from '../data/api.ts'

/** Client of the worker, for one request at a time. Each method rejects with an Error whose message is a sentence. */
export interface Script {
  exportFile(): Promise<ExportedFile>
  /** Resolves with the names of the destinations that the import has to create. A plan needs the URL of each of these destinations. */
  readFile(file: File): Promise<readonly string[]>
  plan(urls: ReadonlyMap<string, string>): Promise<readonly ShownStep[]>
  /** Executes the plan. `onDone` gets the completed steps. Steps before a failure stay done. */
  run(onDone: (steps: readonly ShownStep[]) => void): Promise<void>
  /** Stops the run: no further request is sent, and `run` rejects after the pending requests have ended. */
  stop(): void
  /** Terminates the worker and frees its memory. */
  end(): void
}

/** The part of a Worker that this file uses. */
export interface ScriptWorker {
  postMessage(message: ToScript): void
  addEventListener(name: 'message' | 'error', listener: (event: { data?: unknown }) => void): void
  terminate(): void
}

interface ScriptUrlPolicy {
  createScriptURL(input: string): URL
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): ScriptUrlPolicy
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
/** Trusted Types policy that always returns the URL of this worker. Undefined: the browser has no Trusted Types. */
const policy = trustedTypes?.createPolicy(workerPolicy, { createScriptURL: () => configurationPath })

export const beginWorker = (): ScriptWorker => new Worker(policy?.createScriptURL('') ?? configurationPath, { type: 'module' })

interface Means {
  worker: ScriptWorker
  api: PageApi
  workspace: string
  onProgress(progress: ReadingProgress): void
}

export function createScript({ worker, api, workspace, onProgress }: Means): Script {
  let steps: ShownStep[] = []
  let onDone: (steps: readonly ShownStep[]) => void = () => {}
  let settle: { resolve(result: unknown): void; reject(error: Error): void } | null = null
  let isStopped = false

  const ask = async <T>(question: ScriptQuestion): Promise<T> => {
    const result = await new Promise<unknown>((resolve, reject) => {
      settle = { resolve, reject }
      worker.postMessage({ question, workspace })
    })
    return result as T
  }
  const answer = async (message: Extract<FromScript, { call: number }>) => {
    const { call: answerTo } = message
    try {
      if (isStopped) return worker.postMessage({ answerTo, failure: stopped })
      worker.postMessage({ answerTo, result: await request(api, message) })
    } catch (error) {
      worker.postMessage({ answerTo, failure: wordsOf(api, error) })
    }
  }
  worker.addEventListener('message', event => {
    const data = event.data as FromScript
    if ('call' in data) void answer(data)
    else if ('progress' in data) onProgress(data.progress)
    else if ('steps' in data) steps.push(...data.steps)
    else if ('done' in data) onDone(data.done.flatMap(place => steps[place] ?? []))
    else if ('failure' in data) settle?.reject(new Error(data.failure))
    else settle?.resolve(data.result)
  })
  worker.addEventListener('error', () => settle?.reject(new Error(unloaded)))
  return {
    exportFile: () => ask({ ask: 'export' }),
    readFile: file => ask({ ask: 'read', file, name: file.name }),
    plan: async urls => {
      steps = []
      await ask({ ask: 'plan', urls: [...urls] })
      return steps
    },
    run: async hear => {
      onDone = hear
      await ask({ ask: 'run' })
    },
    stop: () => {
      isStopped = true
    },
    end: () => worker.terminate(),
  }
}

const unloaded = 'The script for configuration files could not be loaded. Try again.'
const stopped: ApiFailureWords = { sentence: 'The import was stopped.', isGone: false, reason: null }

const wordsOf = (api: PageApi, error: unknown): ApiFailureWords => ({
  sentence: sentenceOf(error),
  isGone: api.isGone(error),
  reason: api.reasonOf(error),
})

function request(api: PageApi, { method, arguments: given }: Extract<FromScript, { call: number }>): Promise<unknown> {
  const send = api[method] as (...given: readonly unknown[]) => Promise<unknown>
  return send(...given)
}
