// A custom subject: its signals and rules are read over generation 2, and its state over the session API.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import { ask, read } from '../data/api.ts'
import { askV2 } from '../data/api-v2.ts'
import { isClassic } from '../data/is-classic.ts'
import { enterWorkspaceOf } from '../data/workspace.ts'

export interface SubjectSignal {
  /** The slug. */
  id: string
  name: string
  signal_kind: 'custom_heartbeat' | 'custom_event' | 'platform_http'
  meta: object
}

export interface SubjectRule {
  /** The slug. */
  id: string
  name: string
  document: { inputs: readonly { signal?: string; from?: string }[] }
}

export interface Subject {
  id: string
  slug: string
  name: string
  /** As generation 2 knows it. */
  kind: MonitorDetail['kind']
  signals: readonly SubjectSignal[]
  /** Rules of the subject, including the built-in rule of website monitoring. */
  rules: readonly SubjectRule[]
  detail: MonitorDetail
}

const pathOf = (slug: string, part: 'signals' | 'rules', id?: string): string =>
  `/subjects/${encodeURIComponent(slug)}/${part}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`

export async function readSubject(id: string): Promise<Subject> {
  const detail = await read<MonitorDetail>(`/session/monitors/${encodeURIComponent(id)}`)
  enterWorkspaceOf(detail)
  const { resource } = detail
  const kind = isClassic(detail) ? detail.kind : 'template'
  const known = { id, slug: String(resource['key']), name: String(resource['name']), kind, detail }
  if (kind === 'custom') {
    const [signals, rules] = await Promise.all([
      askV2<SubjectSignal[]>('GET', pathOf(known.slug, 'signals')),
      askV2<SubjectRule[]>('GET', pathOf(known.slug, 'rules')),
    ])
    return { ...known, signals, rules }
  }
  const ofChecks = { id: known.slug, name: known.name, signal_kind: 'platform_http' as const, meta: {} }
  return { ...known, signals: isChecked(kind) ? [ofChecks] : [], rules: [] }
}

export const sessionPath = ({ id }: Subject): string => `/session/subjects/${encodeURIComponent(id)}`

export const createSignal = (subject: Subject, body: object): Promise<SubjectSignal> =>
  ask('POST', `${sessionPath(subject)}/signals`, body)

export const changeSignal = ({ slug }: Subject, id: string, body: object): Promise<SubjectSignal> =>
  askV2('POST', pathOf(slug, 'signals', id), body)

export const deleteSignal = ({ slug }: Subject, id: string): Promise<unknown> => askV2('DELETE', pathOf(slug, 'signals', id))

/**
 * Creates a rule, or replaces the rule with the slug `id`. If the subject is a website monitor, its first created rule turns it into a custom
 * subject.
 */
export const saveRule = (subject: Subject, id: string | null, body: { name: string; document: unknown }): Promise<SubjectRule> =>
  id === null ? ask('POST', `${sessionPath(subject)}/rules`, body) : askV2('POST', pathOf(subject.slug, 'rules', id), body)

export const deleteRule = ({ slug }: Subject, id: string): Promise<unknown> => askV2('DELETE', pathOf(slug, 'rules', id))

/** Returns true for the built-in rule of website monitoring, which cannot be changed here. */
export const isBuiltIn = ({ signals }: Subject, { id }: Pick<SubjectRule, 'id'>): boolean =>
  id === 'reachability' && signals.some(({ signal_kind: kind }) => kind === 'platform_http')

/** Returns the names of the rules that read this signal or rule. Omits the built-in rule of website monitoring. */
export const readersOf = (subject: Subject, by: 'signal' | 'from', id: string): string[] =>
  subject.rules
    .filter(rule => !isBuiltIn(subject, rule) && rule.document.inputs.some(input => input[by] === id))
    .map(rule => rule.name)
