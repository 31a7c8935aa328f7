// Checks that nobody makes, because no live prober of their location can: such a location is marked, so that it is left out until a prober
// can. Pure. Reference: docs/reference/v3.md, 3.22 and 4.15.
import { kindWord } from '#shared/checks/abilities.ts'
import type { Reading, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { sourceAt } from '#shared/subjects/sources.ts'
import { judgeSubject } from '../judging/judge-subject.ts'
import { templateFault } from '../judging/resource-template.ts'
import type { StepContext } from '../types.ts'
import { closeUnable } from './close-unable.ts'

/** A check of a subject at a location. `kind`: word of its kind. */
interface Made {
  source: string
  location: string
  kind: string
}

/**
 * Returns the subject with marks as the probers are now. A location that had a result goes on with it and becomes silent. A location that
 * loses its mark counts as added at `at`.
 */
export function withMarks(subject: SubjectDocument, at: number, context: StepContext): SubjectDocument {
  const { inabilityAt } = context
  if (inabilityAt === undefined || subject.checkRev === null || subject.archivedAt !== null) return subject
  const changed: Record<string, Reading> = {}
  for (const { source, location, kind } of madeOf(subject)) {
    const reading = subject.readings[source]
    if (reading === undefined || reading.at !== null) continue
    const marked = markedBy(reading, inabilityAt(location, kind), at)
    if (marked !== reading) changed[source] = marked
  }
  const isSame = Object.keys(changed).length === 0 || templateFault(subject, context.templateOf) !== null
  return isSame ? subject : { ...subject, readings: { ...subject.readings, ...changed } }
}

/** Returns a subject whose marks have changed as judged at `at`. */
export function judgedWithMarks(subject: SubjectDocument, at: number, context: StepContext): SubjectDocument {
  const judged = judgeSubject(subject, at, context)
  return judged.templated?.checks === undefined ? judged : closeUnable(judged, context)
}

function madeOf({ check, templated }: SubjectDocument): Made[] {
  if (check !== null) return check.locations.map(location => ({ source: location, location, kind: kindWord(check) }))
  return (templated?.checks ?? []).flatMap(({ type, suffix, locations }) =>
    locations.map(location => ({ source: sourceAt(location, suffix), location, kind: type })),
  )
}

function markedBy(reading: Reading, sentence: string | null, at: number): Reading {
  const { cannot, isUnmade, ...unmarked } = reading
  // The newest result has said why, and only another result changes that.
  if (cannot !== undefined && isUnmade === undefined) return reading
  if (sentence === null) return isUnmade ? { ...unmarked, addedAt: Math.max(at, reading.addedAt) } : reading
  const said = redactedText(sentence)
  return cannot === said ? reading : { ...unmarked, cannot: said, isUnmade: true }
}

/** Whether marks of the subject may change with what the probers of these locations can do. `isAsked`: whether a location is one of them. */
export const mayBeMarked = (subject: SubjectDocument, isAsked: (location: string) => boolean): boolean =>
  subject.checkRev !== null &&
  madeOf(subject).some(({ source, location }) => isAsked(location) && subject.readings[source]?.at === null)
