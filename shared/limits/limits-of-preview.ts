// Limits of Templates, of their previews (v3 3.11) and of trials of a rule.
import { day, second } from '#shared/time/time-units.ts'

export const templateRevisionLimits = {
  /**
   * Largest number of Template revisions of a workspace; `bytesPerWorkspace`: largest number of bytes of these revisions (v3 3.2). One list
   * contains all revisions.
   */
  perWorkspace: 1_000,
  bytesPerWorkspace: 16 * 1024 ** 2,
  /** Largest number of revisions in one read for a page. Most revisions have a few kilobytes. */
  perRead: 50,
} as const

export const previewLimits = {
  /** Longest time from the first Observation of a preview to its `at`. */
  spanMs: 400 * day,
  /**
   * Largest number of bytes of all incidents in a response, as JSON. With the evidence of the rules, the response then stays below 2 MiB.
   */
  incidentBytes: 1.5 * 1024 ** 2,
  /**
   * Largest number of previews that a keeper accepts at once, in all, of one workspace and of one caller in it. They work in turn, so that an
   * accepted preview never waits for another's end. Each takes a few MiB. If the keeper responds `busy`, the gateway asks again.
   */
  accepted: 32,
  perWorkspace: 12,
  perCaller: 3,
  /** Time for which a preview may work in one turn of the event loop, so that a report waits no longer than this. */
  sliceMs: 4,
  /**
   * Time within which a keeper must respond. It is less than the 10 s that the gateway has. The largest preview takes 2 to 3 s of CPU time.
   */
  answerMs: 9 * second,
} as const

export const trialLimits = {
  /**
   * Time for which the page of a trial gets messages about new readings. After this time the page repeats the trial, in case a message was
   * lost.
   */
  watchMs: 60 * second,
  /** Least interval between two messages about readings of one subject. */
  readingMs: 1 * second,
  /**
   * Largest number of subjects that a keeper watches for trials, with a few hundred bytes each. If a subject is dropped, its page still
   * repeats the trial after `watchMs`.
   */
  watchedSubjects: 1_000,
} as const
