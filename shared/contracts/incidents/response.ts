// Answers of servers to failed checks, kept with the incident (v3 5.10). Only keepers write them.
import type { Stored } from '#shared/contracts/common.ts'
import type { KeptAnswer } from '#shared/contracts/observations/kept-answer.ts'

/** An answer with the check that got it. */
export interface AnswerOfCheck extends KeptAnswer {
  /** Key of the checked signal, without the location. */
  signal: string
  locationId: string
  /** End of the check, ms. */
  at: number
  /** Sentence of the failure. */
  error: string
}

/** id: `<incident>.<source>.first` or `<incident>.<source>.newest`. */
export interface ResponseDocument extends Stored, AnswerOfCheck {
  subjectId: string
  incidentId: string
}

/** Answers that a subject's document holds. */
export interface HeldAnswers {
  /** By source: the newest answer, while no incident is open. It waits a day for one. */
  waiting: Record<string, AnswerOfCheck>
  /** By open incident: the sources whose first answer is kept. */
  kept: Record<string, string[]>
}
