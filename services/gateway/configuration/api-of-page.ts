// API client inside a worker. For each call, the page sends the request with the person's session and posts the response back to the
// worker.
import type { ApiFailureWords, ConfigurationApi, FromScript, ToScript } from '#shared/contracts/session/configuration-script.ts'

/** Failure of a request. The page sent the sentence that describes the failure. */
class ApiFailure extends Error {
  readonly words: ApiFailureWords

  constructor(words: ApiFailureWords) {
    super(words.sentence)
    this.words = words
  }
}

export const isApiFailure = (error: unknown): error is ApiFailure => error instanceof ApiFailure

type PageAnswer = Extract<ToScript, { answerTo: number }>
type Method = Extract<FromScript, { call: number }>['method']

interface Waiting {
  resolve(result: unknown): void
  reject(error: ApiFailure): void
}

/** Creates the client. `settle` passes a response to the waiting request. */
export function apiOfPage(port: { postMessage(message: FromScript): void }): {
  api: ConfigurationApi
  settle(answer: PageAnswer): void
} {
  const waiting = new Map<number, Waiting>()
  let count = 0
  /** Results are not checked: the API's contract guarantees their types. */
  const call = async <T>(method: Method, ...given: readonly unknown[]): Promise<T> => {
    const result = await new Promise<unknown>((resolve, reject) => {
      waiting.set(++count, { resolve, reject })
      port.postMessage({ call: count, method, arguments: given })
    })
    return result as T
  }
  return {
    api: {
      all: path => call('all', path),
      list: async <T>(path: string, query: Readonly<Record<string, string>>) => {
        const found: T[] = []
        let cursor: string | null = null
        do {
          const page: { items: T[]; next: string | null } = await call('page', path, query, cursor)
          found.push(...page.items)
          port.postMessage({ progress: { at: 'workspace', found: found.length } })
          cursor = page.next
        } while (cursor !== null)
        return found
      },
      call: request => call('call', request),
      classic: request => call('classic', request),
      isGone: error => isApiFailure(error) && error.words.isGone,
      reasonOf: error => (isApiFailure(error) ? error.words.reason : null),
    },
    settle: answer => {
      const one = waiting.get(answer.answerTo)
      waiting.delete(answer.answerTo)
      if ('failure' in answer) one?.reject(new ApiFailure(answer.failure))
      else one?.resolve(answer.result)
    },
  }
}
