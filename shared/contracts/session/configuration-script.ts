// Types of the worker that plans configuration files in a browser (services/gateway/configuration/worker.ts), and of its messages with the
// page. Contains no values.

/** Client of the API with the rights of a session. Paths are relative to `/api/v3` or `/api/v2`. */
export interface ConfigurationApi {
  /** Items of a list without pages. */
  all<T>(path: string): Promise<T[]>
  /** Items of all pages. */
  list<T>(path: string, query: { state: string }, things: string): Promise<T[]>
  call(request: ConfigurationRequest): Promise<unknown>
  /** Sends a request to generation 2. */
  classic(request: ConfigurationRequest): Promise<unknown>
  /** Returns true if `classic` failed because generation 2 is switched off. */
  isGone(error: unknown): boolean
  /** Returns the reason of a failed request in words; null: not a failure of the API. `isUnanswered`: no response arrived. */
  reasonOf(error: unknown): { words: string; isUnanswered: boolean } | null
}

/** API client of the page. A list is read page by page, so that no message to the worker is large. */
export interface PageApi extends Omit<ConfigurationApi, 'list'> {
  /** `cursor`: null for the first page. */
  page<T>(path: string, query: { state: string }, cursor: string | null): Promise<{ items: T[]; next: string | null }>
}

export interface ConfigurationRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Readonly<Record<string, string | number | boolean | undefined>>
  body?: unknown
}

export interface ExportedFile {
  text: string
  objects: number
  /** Sentences about objects that the file omits. */
  omitted: string[]
}

export interface ShownStep {
  verb: 'made' | 'changed' | 'left' | 'deleted' | 'archived'
  kind: string
  name: string
  /** Names of the changed fields; empty: nothing to show. */
  what: string
  /** Line in the file at which the object begins, from 1; null: the object is not in the file. */
  line: number | null
}

/** Progress of the reading of a file. `share`: 0 to 1. */
export type ReadingProgress =
  | { at: 'file'; share: number }
  /** The objects of the file are checked. */
  | { at: 'objects' }
  /** `found`: number of Resources of the workspace that were read so far. */
  | { at: 'workspace'; found: number }

/** Request to the worker, which handles one request at a time. */
export type ScriptQuestion =
  /** Exports the workspace. Result: the present workspace as one file. */
  | { ask: 'export' }
  /** Result: names of the destinations that the import has to create. A plan needs the URL of each. */
  | { ask: 'read'; file: Blob; name: string }
  /** Result: the number of steps, which are sent before it. Writes nothing. */
  | { ask: 'plan'; urls: readonly (readonly [string, string])[] }
  /** Executes the plan. Steps before a failure stay done, and the next plan omits these steps. */
  | { ask: 'run' }

/** Message of the page to the worker. */
export type ToScript =
  | { question: ScriptQuestion; workspace: string }
  | { answerTo: number; result: unknown }
  | { answerTo: number; failure: ApiFailureWords }

/** Message of the worker to the page. `failure`: a sentence. */
export type FromScript =
  | { progress: ReadingProgress }
  | { steps: readonly ShownStep[] }
  /** Indexes of completed steps in the plan, in the order of their completion. */
  | { done: readonly number[] }
  | { result: unknown }
  | { failure: string }
  | { call: number; method: 'all' | 'page' | 'call' | 'classic'; arguments: readonly unknown[] }

/** Failure of a request in the words of the page. */
export interface ApiFailureWords {
  sentence: string
  isGone: boolean
  reason: ReturnType<ConfigurationApi['reasonOf']>
}
