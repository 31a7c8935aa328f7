// Limits of Templates, of their previews (v3 3.11) and of trials of a rule.
import { day, second } from '#shared/time/time-units.ts'

export const templateRevisionLimits = {
  /** Largest number of revisions of a workspace, all of which are in one list, and of their bytes (v3 3.2). */
  perWorkspace: 1_000,
  bytesPerWorkspace: 16 * 1024 ** 2,
  /** Largest number of revisions in one read for a page: most are a few kilobytes. */
  perRead: 50,
} as const

export const previewLimits = {
  /** Time from the first Observation to `at`. */
  spanMs: 400 * day,
  /** Largest number of bytes of JSON of all incidents in a response, which stays below a message's 2 MiB with the evidence of the rules. */
  incidentBytes: 1.5 * 1024 ** 2,
  /** Largest number of concurrent previews of a keeper; a further one responds `busy`, and the caller asks another keeper. */
  atOnce: 1,
  /** Time of a preview's work in one turn of the event loop: a report waits no longer than this. */
  sliceMs: 4,
  /** Time for a keeper's response, less than the gateway's 10 s. The largest preview takes 2 to 3 s of CPU. */
  answerMs: 9 * second,
} as const

export const trialLimits = {
  /** Time for which a trial's page gets messages about new readings. Then the page repeats the trial, in case a message was lost. */
  watchMs: 60 * second,
  /** Least interval between two messages about readings of one subject. */
  readingMs: 1 * second,
  /** Subjects that a keeper watches, a few hundred bytes each. For a dropped subject, the page repeats the trial after `watchMs`. */
  watchedSubjects: 1_000,
} as const
