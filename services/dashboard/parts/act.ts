// Action of a button. Runs at most once at a time, and announces its result.
import { useSignal } from '@preact/signals'
import { sentenceOf } from '../data/api.ts'
import { announce } from './announce.ts'

interface Act {
  isBusy: boolean
  run(): void
}

/** `work` resolves with the sentence that says what happened. */
export function useAct(work: () => Promise<string>): Act {
  const isBusy = useSignal(false)
  const run = async () => {
    if (isBusy.peek()) return
    isBusy.value = true
    try {
      announce(await work())
    } catch (error) {
      announce(sentenceOf(error), { isRefusal: true })
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy: isBusy.value, run: () => void run() }
}
