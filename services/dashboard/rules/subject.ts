// A custom subject: its signals and rules are read over generation 2, and its state over the session API.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import { ask, askV3, read } from '../data/api.ts'
import { askV2 } from '../data/api-v2.ts'
import { isClassic } from '../data/is-classic.ts'
import { workspaceId } from '../data/session.ts'
import { enterWorkspaceOf } from '../data/workspace.ts'
import type { RuleDocument, RuleInput } from './rule-document.ts'

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
  document: RuleDocument
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

const pathOf = (slug: string): string => `/subjects/${encodeURIComponent(slug)}`

export async function readSubject(id: string): Promise<Subject> {
  const detail = await read<MonitorDetail>(`/session/monitors/${encodeURIComponent(id)}`)
  enterWorkspaceOf(detail)
  const { resource } = detail
  const kind = isClassic(detail) ? detail.kind : 'template'
  const known = { id, slug: String(resource['key']), name: String(resource['name']), kind, detail }
  if (kind === 'custom') {
    const [signals, rules] = await Promise.all([
      askV2<SubjectSignal[]>('GET', `${pathOf(known.slug)}/signals`),
      askV2<SubjectRule[]>('GET', `${pathOf(known.slug)}/rules`),
    ])
    return { ...known, signals, rules }
  }
  const ofChecks = { id: known.slug, name: known.name, signal_kind: 'platform_http' as const, meta: {} }
  return { ...known, signals: isChecked(kind) ? [ofChecks] : [], rules: [] }
}

/** Resolves with the id of the new subject. */
export async function createSubject(name: string): Promise<string> {
  const made = await askV2<{ id: string }>('POST', '/subjects', { workspace_id: workspaceId.peek(), name })
  const resource = `/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/resources/${encodeURIComponent(made.id)}`
  return (await askV3<{ id: string }>('GET', resource)).id
}

const sessionPath = ({ id }: Pick<Subject, 'id'>): string => `/session/subjects/${encodeURIComponent(id)}`

export const deleteSubject = (subject: Subject): Promise<void> => ask('DELETE', sessionPath(subject))

export const createSignal = (subject: Subject, body: { name: string; kind: string; meta: object }): Promise<SubjectSignal> =>
  ask('POST', `${sessionPath(subject)}/signals`, body)

export const changeSignal = ({ slug }: Subject, id: string, body: { name: string; meta: object }): Promise<SubjectSignal> =>
  askV2('POST', `${pathOf(slug)}/signals/${encodeURIComponent(id)}`, body)

export const deleteSignal = ({ slug }: Subject, id: string): Promise<unknown> =>
  askV2('DELETE', `${pathOf(slug)}/signals/${encodeURIComponent(id)}`)

/** Creates a rule. If the subject is a website monitor, its first created rule turns it into a custom subject. */
export const createRule = (subject: Subject, body: { name: string; document: object }): Promise<SubjectRule> =>
  ask('POST', `${sessionPath(subject)}/rules`, body)

export const replaceRule = ({ slug }: Subject, id: string, body: { name: string; document: object }): Promise<SubjectRule> =>
  askV2('POST', `${pathOf(slug)}/rules/${encodeURIComponent(id)}`, body)

export const deleteRule = ({ slug }: Subject, id: string): Promise<unknown> =>
  askV2('DELETE', `${pathOf(slug)}/rules/${encodeURIComponent(id)}`)

/** Returns true for the built-in rule of website monitoring, which cannot be changed here. */
export const isBuiltIn = ({ signals }: Subject, rule: SubjectRule): boolean =>
  rule.id === 'reachability' && signals.some(({ signal_kind: kind }) => kind === 'platform_http')

/** Returns the names of the rules that read this signal or rule. Omits the built-in rule of website monitoring. */
export const readersOf = (subject: Subject, by: 'signal' | 'from', id: string): string[] =>
  subject.rules
    .filter(rule => !isBuiltIn(subject, rule) && rule.document.inputs.some(input => input[by] === id))
    .map(rule => rule.name)

export const incidentOf = ({ detail }: Subject, ruleId: string) =>
  detail.rules.find(({ key }) => key === ruleId)?.incident ?? null

/** Returns the name of the signal or rule that an input reads. If the signal or rule was deleted, returns its slug. */
export function nameIn({ signals, rules }: Pick<Subject, 'signals' | 'rules'>, { signal, from }: RuleInput): string {
  const found = from === undefined ? signals.find(({ id }) => id === signal) : rules.find(({ id }) => id === from)
  return found?.name ?? from ?? signal ?? ''
}
