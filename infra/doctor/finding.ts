// A finding of the doctor: sentences for somebody who was woken at night. No sentence may contain a secret.

/**
 * `fault`: something does not work, or is about to stop. `warning`: it works, but should be looked at by day. `well`: looked at, and nothing is
 * wrong. `unknown`: it could not be looked at.
 */
export type Standing = 'fault' | 'warning' | 'unknown' | 'well'

export interface Finding {
  standing: Standing
  /** What is so, a sentence. */
  what: string
  /** Why it matters, a sentence; empty if nothing is wrong. */
  why: string
  /** What to do, a sentence; empty if nothing is to do. */
  remedy: string
}

export const fault = (what: string, why: string, remedy: string): Finding => ({ standing: 'fault', what, why, remedy })
export const warning = (what: string, why: string, remedy: string): Finding => ({ standing: 'warning', what, why, remedy })
export const well = (what: string): Finding => ({ standing: 'well', what, why: '', remedy: '' })
export const unknown = (what: string, remedy = ''): Finding => ({ standing: 'unknown', what, why: '', remedy })

/** Splits a sentence of the form `something is wrong: do this.` into what and what to do. */
export function splitAdvice(sentence: string): { what: string; remedy: string } {
  const at = sentence.indexOf(': ')
  if (at < 0) return { what: sentence, remedy: '' }
  const advice = sentence.slice(at + 2)
  return { what: `${sentence.slice(0, at)}.`, remedy: `${advice.charAt(0).toUpperCase()}${advice.slice(1)}` }
}
