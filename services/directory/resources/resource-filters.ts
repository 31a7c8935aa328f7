// Filters of lists by properties of Resources. A value in a filter is parsed by the type that the Template declares for the field. Matching
// Resources are found by their tags. Reference: docs/reference/v3.md, 9.3 and 9.4.

import { checkAnswers } from '#shared/checks/check-answers.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { Answers, AnyTemplate, TemplateAnswer, TemplateField } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Bounded } from '#shared/manifest/answer-fault.ts'
import { readFilterValue } from '#shared/manifest/filter-value.ts'
import { findSystemTemplate } from '#shared/manifest/system-templates.ts'
import { redactedAnswer } from '#shared/secrecy/redacted-answers.ts'
import { redactedNamed } from '#shared/secrecy/redacted-value.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { findRevisions, readRevisions } from '#shared/subjects/stored-revisions.ts'
import { answerTag, labelTag, stateTag, tagsOf, templateTag } from '#shared/subjects/subject-tags.ts'
import { allSubjects, subjectsTagged } from '../subjects/tagged-subjects.ts'

export type ResourceFilters = Pick<AskRequest<'list-resources'>, 'state' | 'template' | 'meta' | 'labels' | 'isRedacted'>

/** Subjects of a workspace that match filters. */
export interface FilteredSubjects {
  /** Yields in batches the ids greater than `after`, ascending (see `subjectsTagged`). */
  ids(after: string): AsyncGenerator<string[]>
  /** Returns true if the given subject matches the filters. */
  isOne(subject: SubjectDocument): boolean
}

/**
 * What a filter demands. A tag finds its subjects. A test is asked of every subject that the tags find: it compares the display form of a
 * value, for which subjects have no tag.
 */
type Demand = { tag: string } | { test(subject: SubjectDocument): boolean }

/** Returns the matching subjects. Throws `validation`, with the name of the invalid query parameter. */
export async function filteredSubjects(
  store: Store,
  workspaceId: string,
  { state, template, meta, labels, isRedacted = false }: ResourceFilters,
): Promise<FilteredSubjects> {
  const demands = [
    ...(await answerDemands(store, workspaceId, { template, meta, isRedacted })),
    ...labels.map(label => labelDemand(label, isRedacted)),
  ]
  const tests = demands.flatMap(demand => ('test' in demand ? [demand.test] : []))
  const tags = [
    ...(state === 'all' ? [] : [stateTag(state)]),
    ...templateTags(template, tests.length > 0 ? [] : meta),
    ...demands.flatMap(demand => ('tag' in demand ? [demand.tag] : [])),
  ]
  const wanted = [...new Set(tags)]
  const found = (after: string) =>
    wanted.length === 0 ? allSubjects(store, workspaceId, after) : subjectsTagged(store, workspaceId, wanted, after)
  const passes = (subject: SubjectDocument) => tests.every(test => test(subject))
  return {
    ids: after => (tests.length === 0 ? found(after) : passing(store, found(after), passes)),
    isOne: subject =>
      subject.workspaceId === workspaceId && subject.deletedAt === null && hasAll(tagsOf(subject), wanted) && passes(subject),
  }
}

/** Yields those ids whose subjects pass. Reads every subject, in batches. */
async function* passing(store: Store, batches: AsyncGenerator<string[]>, passes: (subject: SubjectDocument) => boolean) {
  const { pageReads } = limits.request
  for await (const ids of batches) {
    for (let from = 0; from < ids.length; from += pageReads) {
      const subjects = await store.get('subjects', ids.slice(from, from + pageReads))
      yield subjects.flatMap(subject => (subject !== null && passes(subject) ? [subject.id] : []))
    }
  }
}

/**
 * Returns the ids of the matching subjects, ascending, at most `max`. Throws `validation`, with the name of the invalid query parameter.
 */
export async function subjectIdsBehind(
  store: Store,
  workspaceId: string,
  filters: ResourceFilters,
  max: number = limits.v3.filteredSubjects + 1,
): Promise<string[]> {
  const found: string[] = []
  for await (const ids of (await filteredSubjects(store, workspaceId, filters)).ids('')) {
    found.push(...ids.slice(0, max - found.length))
    if (found.length >= max) break
  }
  return found
}

/**
 * Returns the tag of the Template. If the reference is a key without a version and the request also filters by fields, returns no tag: the
 * tags of fields contain the Template's key already, and a search for fewer tags is faster.
 */
function templateTags(reference: string | null, meta: ResourceFilters['meta']): string[] {
  const isSaid = reference === null || (meta.length > 0 && !reference.includes('@'))
  return isSaid ? [] : [templateTag(reference)]
}

function hasAll(tags: readonly string[], wanted: readonly string[]): boolean {
  const has = new Set(tags)
  return wanted.every(tag => has.has(tag))
}

async function answerDemands(
  store: Store,
  workspaceId: string,
  { template: reference, meta, isRedacted }: Required<Pick<ResourceFilters, 'template' | 'meta' | 'isRedacted'>>,
): Promise<Demand[]> {
  const [first] = meta
  if (first === undefined) return []
  if (reference === null)
    throw invalid(`meta.${first.key}`, 'A filter by a field needs the parameter template, which declares it')
  const [templateKey = ''] = reference.split('@', 1)
  const fields = await fieldsOf(
    store,
    workspaceId,
    reference,
    meta.map(({ key }) => key),
  )
  return meta.map(({ key, value }) => {
    const parameter = `meta.${key}`
    const declared = fields.get(key)
    if (declared === undefined) throw invalid(parameter, `The Template ${reference} declares no such field`)
    const { template, field } = declared
    const read = readFilterValue(template, field, value, isRedacted)
    if (typeof read === 'object') throw invalid(parameter, `The parameter '${parameter}' ${read.fault}`)
    const shown = (value: TemplateAnswer | null) => redactedAnswer(field, value)
    const isTagged = !isRedacted || typeof read !== 'string' || (hasOneSource(read) && shown(read) === read)
    if (isTagged) return { tag: answerTag(templateKey, key, read) }
    return { test: subject => shown(answersOf(subject)[key] ?? null) === read }
  })
}

function labelDemand({ key, value }: ResourceFilters['labels'][number], isRedacted: boolean): Demand {
  if (!isRedacted || (hasOneSource(value) && redactedNamed(key, value) === value)) return { tag: labelTag(key, value) }
  return { test: ({ labels }) => Object.hasOwn(labels, key) && redactedNamed(key, labels[key]) === value }
}

/** Returns true if no other text has this text, a display form, as its display form. A display form that hides something has one of the two marks. */
const hasOneSource = (text: string): boolean => !text.includes('//') && !text.includes('redacted')

const answersOf = ({ check, templated }: SubjectDocument): Answers =>
  check === null ? (templated?.answers ?? {}) : checkAnswers(check)

/**
 * Returns the declaration of each field in the named revision. For a key without a version, takes each declaration from the highest
 * undamaged revision that declares the field (v3 4.13).
 */
async function fieldsOf(store: Store, workspaceId: string, reference: string, keys: readonly string[]) {
  const fields = new Map<string, { template: Bounded; field: TemplateField }>()
  let isKnown = false
  let isWhole = false
  for await (const revision of revisionsOf(store, workspaceId, reference)) {
    isKnown = true
    if (revision === 'damaged') continue
    isWhole = true
    for (const field of revision.fields)
      if (keys.includes(field.key) && !fields.has(field.key)) fields.set(field.key, { template: revision, field })
    if (keys.every(key => fields.has(key))) break
  }
  if (!isKnown) throw invalid('template', `There is no Template ${reference}`)
  if (!isWhole) throw invalid('template', `The Template ${reference} is damaged in the store`)
  return fields
}

/** Yields the revisions, highest version first. */
async function* revisionsOf(store: Store, workspaceId: string, reference: string): AsyncGenerator<AnyTemplate | 'damaged'> {
  const [key = '', version = null] = reference.split('@')
  const system = findSystemTemplate(reference)
  if (version !== null) {
    const id = `${workspaceId}/${reference}`
    const found = (await readRevisions(store, [id])).get(id) ?? 'missing'
    if (found !== 'missing') yield found
    else if (system !== null) yield system
    return
  }
  const query: Query = { where: { workspaceId, key }, sort: [['version', 'desc']], limit: 1 }
  for (let after: Query['after']; ; ) {
    const found = await findRevisions(store, { ...query, ...(after === undefined ? {} : { after }) })
    for (const { template } of found) yield template
    const last = found.at(-1)
    if (last === undefined && after === undefined && system !== null) yield system
    if (last === undefined || found.length < query.limit) return
    after = { values: [last.version], id: last.id }
    // The first read takes only the highest revision, which usually declares all fields.
    query.limit = limits.templateRevision.perRead
  }
}

const invalid = (field: string, sentence: string) => new AppError('validation', sentence, { facts: { field } })
