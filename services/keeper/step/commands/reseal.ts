// Secrets of a Resource that are sealed anew, after the installation got another key (docs/looking-after-it.md). Pure.
import type { Answers } from '#shared/contracts/resources/template.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import { presentChecks } from '../checks/assign-checks.ts'
import type { Handler } from '../types.ts'
import { checked, usableTemplate } from './resource-commands.ts'
import { assign, isWatched } from './subject-commands.ts'

/** Nothing is judged. An archived Resource has no checks any longer, so only its answers change. */
export const resealSecrets: Handler<'reseal-secrets'> = (subject, { secrets }, at, context) => {
  const { templated, archivedAt } = subject
  const sealed = new Map(secrets.map(({ from, to }) => [from, to]))
  const isOld = (answer: unknown) => typeof answer === 'string' && sealed.has(answer)
  const answers = Object.entries(templated?.answers ?? subject.check ?? {})
  const result = { resealed: answers.filter(([, answer]) => isOld(answer)).length }
  if (result.resealed === 0) return { subject, result }
  const next = Object.fromEntries(
    answers.map(([key, answer]) => [key, typeof answer === 'string' ? (sealed.get(answer) ?? answer) : answer]),
  )
  if (isWatched(subject)) {
    const check = next as StoredCheck
    return { subject: archivedAt === null ? assign(subject, check, at) : { ...subject, check }, result }
  }
  const kept = { ...subject, templated: templated && { ...templated, answers: next as Answers } }
  if (archivedAt !== null) return { subject: kept, result }
  const template = usableTemplate(subject, context)
  if ('refused' in template) return template
  const changed = checked(kept, template, presentChecks(subject, context.templateOf), at)
  return 'refused' in changed ? changed : { subject: changed.subject, result }
}
