// The trial of a rule in its form. The server judges the rule after each change in the form, after each event about the monitor, and when
// time alone changes the result.
import type { ReadonlySignal } from '@preact/signals'
import { signal, useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { RuleTrialObject } from '#shared/contracts/session/session-incidents.ts'
import { ask, askV3, Refusal } from '../data/api.ts'
import { askV2 } from '../data/api-v2.ts'
import { type Asking, createAsking, type Outcome } from '../data/asking.ts'
import { schedule, serverNow } from '../data/clock.ts'
import { isSignedOut, workspaceId } from '../data/session.ts'
import { type IsWanted, onGatheredNews } from '../data/stream.ts'
import { type DeliveryTable, type ReceiverDestination, type Receivers, receiversOf } from './receivers.ts'
import { placed, type RuleDocument } from './rule-document.ts'
import type { Subject } from './subject.ts'

/** The document that the fields form, or the reason why they form no document yet. */
export type Typed = { document: object } | { refusal: Refusal }

export interface Trial {
  asking: Asking<object, RuleTrialObject>
  /** Reason why the rule cannot be tried, with the field of the form; null: the rule can be tried. */
  refusal: ReadonlySignal<Refusal | null>
  /** The newest typed document, which may be incomplete; null: the fields form no document. */
  document: ReadonlySignal<Partial<RuleDocument> | null>
  /** Destinations that receive messages; null: they are not read yet. */
  receivers: ReadonlySignal<Receivers | null>
  typed(typed: Typed): void
}

/** Time in which events are collected, ms. One step of the keeper causes several events, which then cause only one request. */
const gatherMs = 150
/** Least time between a response and a next trial that only the passing of time causes, ms. */
const leastMs = 1_000
/** Pause before the retry after a failure that may be temporary, ms. */
const retryMs = 5_000

/** `first`: document that is tried at once; null: no trial before the first change of the form. */
export function useTrial(subject: Subject, replaced: string | null, first: object | null = null): Trial {
  const parts = useMemo(() => createTrial(subject, replaced), [])
  useEffect(() => {
    if (first !== null) parts.typed({ document: first })
    void parts.readReceivers()
    const isAbout: IsWanted = (name, data) => {
      const { id, monitor } = data as { id?: unknown; monitor?: unknown }
      return name === 'reset' || name === 'opened' || id === subject.id || monitor === subject.id
    }
    const stopNews = onGatheredNews(gatherMs, isAbout, parts.asking.again)
    return () => {
      stopNews()
      parts.asking.stop()
    }
  }, [parts])
  const refusal = useComputed(() => {
    const failure = parts.unread.value ?? parts.asking.failure.value
    return failure instanceof Refusal ? placed(failure) : null
  })
  return { asking: parts.asking, refusal, document: parts.document, receivers: parts.receivers, typed: parts.typed }
}

/** Returns the time until the next trial, ms. Returns null for a hidden page, because everything is read again when the page is shown. */
function againMs(outcome: Outcome<RuleTrialObject>): number | null {
  if (document.hidden || isSignedOut.peek()) return null
  if ('answer' in outcome) return Math.max(leastMs, Date.parse(outcome.answer.next_at) - serverNow())
  const { failure } = outcome
  return failure instanceof Refusal && failure.status >= 400 && failure.status < 429 ? null : retryMs
}

function createTrial(subject: Subject, replaced: string | null) {
  const path = `/session/subjects/${encodeURIComponent(subject.id)}/rules/trial`
  const asking = createAsking<object, RuleTrialObject>({
    ask: (typed, signal) => ask('POST', path, { document: typed, ...(replaced === null ? {} : { rule: replaced }) }, signal),
    schedule,
    againMs,
  })
  const unread = signal<Refusal | null>(null)
  const typedDocument = signal<Partial<RuleDocument> | null>(null)
  const receivers = signal<Receivers | null>(null)
  return {
    asking,
    unread,
    document: typedDocument,
    receivers,
    typed: (typed: Typed) => {
      unread.value = 'refusal' in typed ? typed.refusal : null
      typedDocument.value = 'refusal' in typed ? null : typed.document
      if ('refusal' in typed) asking.stop()
      else asking.change(typed.document)
    },
    /** Reads the receivers. If this read fails, the receivers stay unknown, and the page says so. */
    readReceivers: async () => {
      const destinations = `/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/destinations`
      const table =
        subject.kind === 'custom'
          ? askV2<DeliveryTable>('GET', `/subjects/${encodeURIComponent(subject.slug)}/delivery`)
          : askV2<DeliveryTable>('GET', `/monitoring/websites/${encodeURIComponent(subject.id)}/delivery`)
      const found = await Promise.all([table, askV3<ReceiverDestination[]>('GET', destinations)]).catch(() => null)
      if (found !== null) receivers.value = receiversOf(...found)
    },
  }
}
