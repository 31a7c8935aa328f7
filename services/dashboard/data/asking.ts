// A request with input that a person types. The request is sent shortly after the last keystroke, and repeated at intervals. An older
// response never replaces a newer one.
import { type ReadonlySignal, signal } from '@preact/signals'

export interface Asking<In, Out> {
  /** Newest response; null: no response yet. The response stays during a repeated request, and after a failure. */
  answer: ReadonlySignal<Out | null>
  /** Failure of the newest request; null: no failure. */
  failure: ReadonlySignal<unknown>
  /** True if the response belongs to an older input. */
  isOld: ReadonlySignal<boolean>
  /** Sends a request once the input has not changed for a while. */
  change(input: In): void
  /** Repeats the request at once. While a request is pending, repeats it after the response. */
  again(): void
  /** Stops the requests until `change` is called. */
  stop(): void
}

/** Response or failure of a request. */
export type Outcome<Out> = { answer: Out } | { failure: unknown }

interface Options<In, Out> {
  ask(input: In, signal: AbortSignal): Promise<Out>
  schedule(ms: number, run: () => void): () => void
  waitMs?: number
  /** Returns the time until the request is repeated, ms; null: it is not repeated. */
  againMs?(outcome: Outcome<Out>): number | null
}

export function createAsking<In, Out>({ ask, schedule, waitMs = 250, againMs = () => null }: Options<In, Out>): Asking<In, Out> {
  const answer = signal<Out | null>(null)
  const failure = signal<unknown>(null)
  const isOld = signal(true)
  let input: { is: In } | null = null
  let cancelWait = () => {}
  let controller = new AbortController()
  let isTyping = false
  let isAsking = false
  let isAskedAgain = false

  const halt = () => {
    cancelWait()
    controller.abort()
    isTyping = false
    isAsking = false
    isAskedAgain = false
  }
  const send = async () => {
    halt()
    if (input === null) return
    controller = new AbortController()
    const mine = controller.signal
    isAsking = true
    const outcome = await ask(input.is, mine).then(
      found => ({ answer: found }),
      (error: unknown) => ({ failure: error }),
    )
    if (mine.aborted) return
    isAsking = false
    failure.value = 'failure' in outcome ? outcome.failure : null
    if ('answer' in outcome) {
      answer.value = outcome.answer
      isOld.value = false
    }
    if (isAskedAgain) return void send()
    const ms = againMs(outcome)
    if (ms !== null) cancelWait = schedule(ms, () => void send())
  }
  return {
    answer,
    failure,
    isOld,
    change: is => {
      input = { is }
      isOld.value = true
      halt()
      isTyping = true
      cancelWait = schedule(waitMs, () => void send())
    },
    again: () => {
      if (isAsking) isAskedAgain = true
      // Sends at once only if the person does not type. While the person types, a request is already scheduled.
      else if (!isTyping) void send()
    },
    stop: () => {
      halt()
      input = null
    },
  }
}
