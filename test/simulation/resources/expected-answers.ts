// Answers of a Resource after a change or a rebind, as docs/reference/v3.md, 6.3 and 6.5, define them.
import type { Answers, Template, TemplateAnswer } from '#shared/contracts/resources/template.ts'

/** Name of the wrong field, or code of the state that forbids the change; null: the change is carried out. */
export type Refused = string | null

export function answersAfter(
  { fields }: Template,
  sent: Readonly<Record<string, unknown>>,
  present: Answers,
): { answers: Answers; refused: Refused } {
  const answers: Record<string, TemplateAnswer> = {}
  const strange = Object.keys(sent).find(key => !fields.some(field => field.key === key))
  if (strange !== undefined) return { answers, refused: strange }
  for (const { key, default: usual, min, max } of fields) {
    const answer = key in sent ? (sent[key] ?? usual) : (present[key] ?? usual)
    if (answer === null || answer === undefined) continue
    if (typeof answer === 'number' && !fits(answer, min, max)) return { answers, refused: key }
    answers[key] = answer as TemplateAnswer
  }
  return { answers, refused: null }
}

/** Returns only the answers that both revisions declare and the new revision accepts. */
export function answersCarried(from: Template, to: Template, present: Answers): Answers {
  const kept = to.fields.filter(({ key, min, max }) => {
    const answer = present[key]
    const isInBoth = from.fields.some(field => field.key === key) && answer !== undefined
    return isInBoth && !(typeof answer === 'number' && !fits(answer, min, max))
  })
  return Object.fromEntries(kept.map(({ key }) => [key, present[key] as TemplateAnswer]))
}

const fits = (answer: number, min: number | null, max: number | null): boolean =>
  (min === null || answer >= min) && (max === null || answer <= max)
