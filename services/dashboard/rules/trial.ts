// The trial of a rule's document while a person types it. The server judges the document after each change, after each event about the
// monitor, and when time alone changes the result. Nothing is stored.
import { useEffect, useMemo } from 'preact/hooks'
import type { RuleTrialObject } from '#shared/contracts/session/session-incidents.ts'
import { ask, Refusal } from '../data/api.ts'
import { type Asking, createAsking, type Outcome } from '../data/asking.ts'
import { schedule, serverNow } from '../data/clock.ts'
import { isSignedOut } from '../data/session.ts'
import { type IsWanted, onGatheredNews } from '../data/stream.ts'
import { jsonIn } from '../parts/json/json-text.ts'
import { type Subject, sessionPath } from './subject.ts'

/** The trial of a text, which holds a document as JSON. */
export type Trial = Asking<string, RuleTrialObject>

/** Time in which events are collected, ms. One step of the keeper causes several events, which then cause only one request. */
export const gatherMs = 150
/** Least time between a response and a next trial that only the passing of time causes, ms. */
const leastMs = 1_000
/** Pause before the retry after a failure that may be temporary, ms. */
const retryMs = 5_000

/** `replaced`: slug of the rule that the document would replace; null: a further rule. */
export function useTrial(subject: Subject, replaced: string | null, text: string): Trial {
  const trial = useMemo(() => {
    const rule = replaced === null ? {} : { rule: replaced }
    return createAsking<string, RuleTrialObject>({
      ask: async (typed, signal) =>
        ask('POST', `${sessionPath(subject)}/rules/trial`, { document: jsonIn(typed, 'document'), ...rule }, signal),
      schedule,
      againMs,
    })
  }, [])
  useEffect(() => trial.change(text), [text])
  useEffect(() => {
    const isAbout: IsWanted = (name, data) => {
      const { id, monitor } = data as { id?: unknown; monitor?: unknown }
      return name === 'reset' || name === 'opened' || id === subject.id || monitor === subject.id
    }
    const stopNews = onGatheredNews(gatherMs, isAbout, trial.again)
    return () => {
      stopNews()
      trial.stop()
    }
  }, [trial])
  return trial
}

/** Returns the time until the next trial, ms. Returns null for a hidden page, because everything is read again when the page is shown. */
function againMs(outcome: Outcome<RuleTrialObject>): number | null {
  if (document.hidden || isSignedOut.peek()) return null
  if ('answer' in outcome) return Math.max(leastMs, Date.parse(outcome.answer.next_at) - serverNow())
  const { failure } = outcome
  return failure instanceof Refusal && failure.status >= 400 && failure.status < 429 ? null : retryMs
}
