// Action of a button. An action runs only once at a time, and its result is announced.
import { useSignal } from '@preact/signals'
import { sentenceOf } from '../data/api.ts'
import { announce } from './announce.ts'

interface Act {
  isBusy: boolean
  run(): void
}

/** Returns an action that runs `work`. `work` resolves with a sentence about the result, which is announced. */
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
