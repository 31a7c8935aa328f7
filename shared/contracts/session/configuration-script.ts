// Types of the worker that plans configuration files in a browser (services/gateway/configuration/worker.ts), and of its messages with the
// page. This file contains only types.

/** Client of the API with the rights of a session. Paths are relative to `/api/v3` or `/api/v2`. */
export interface ConfigurationApi {
  /** Returns the items of a list that has no pages. */
  all<T>(path: string): Promise<T[]>
  /** Returns the items of a list, read page by page. */
  list<T>(path: string, query: Readonly<Record<string, string>>, things: string): Promise<T[]>
  call(request: ConfigurationRequest): Promise<unknown>
  /** Sends a request to generation 2. */
  classic(request: ConfigurationRequest): Promise<unknown>
  /** Returns true if `classic` failed because generation 2 is switched off. */
  isGone(error: unknown): boolean
  /**
   * Returns the reason of a failed request in words. Null: the error does not come from the API. `isUnanswered`: the request got no
   * response.
   */
  reasonOf(error: unknown): { words: string; isUnanswered: boolean } | null
}

/** API client of the page. A list is read page by page, so that no message to the worker is large. */
export interface PageApi extends Omit<ConfigurationApi, 'list'> {
  /** Returns one page of a list. `cursor` null: the first page. */
  page<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    cursor: string | null,
  ): Promise<{ items: T[]; next: string | null }>
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
  /** Names of the changed fields; empty: there is nothing to show. */
  what: string
  /** Line in the file at which the object begins, from 1; null: the object is not in the file. */
  line: number | null
}

/** Progress of the reading. `share`: part of the file's text that has been read, from 0 to 1. */
export type ReadingProgress =
  | { at: 'file'; share: number }
  /** The objects of the file are being checked. */
  | { at: 'objects' }
  /** `found`: number of Resources of the workspace that were read so far. */
  | { at: 'workspace'; found: number }

/** Request to the worker, which handles one request at a time. */
export type ScriptQuestion =
  /** Exports the workspace. The result is the present workspace as one file. */
  | { ask: 'export' }
  /**
   * Reads and checks a file. The result is the names of the destinations that the import must create. A plan needs the URL of each new
   * destination.
   */
  | { ask: 'read'; file: Blob; name: string }
  /** Plans the import and sends the steps of the plan. The result is the number of steps. Writes nothing. */
  | { ask: 'plan'; urls: readonly (readonly [string, string])[] }
  /** Executes the plan. If a step fails, the effect of completed steps stays, and the next plan omits these steps. */
  | { ask: 'run' }

/** Message from the page to the worker. */
export type ToScript =
  | { question: ScriptQuestion; workspace: string }
  | { answerTo: number; result: unknown }
  | { answerTo: number; failure: ApiFailureWords }

/** Message from the worker to the page. `failure`: a sentence that describes the failure. */
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
