// /v2/subjects/{subject}/rules: routes for the rules that decide when an incident opens (reference/custom-subjects 3).

import { type Static, Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import type { Policy } from '#shared/contracts/subjects/policy.ts'
import type { CustomSubjectView, RuleView } from '#shared/contracts/subjects/subject-views.ts'
import { writerOf } from '../../body/result-schema.ts'
import type { GatewayContext } from '../../context.ts'
import type { Route } from '../../http/route.ts'
import { commandId } from '../../subjects/command-id.ts'
import { type ClassicRefusal, editor, member, routesWith } from '../classic-route.ts'
import { invalid, invalidName, subjectTooLarge } from '../refusals.ts'
import { findWithRule, ofSubject, subjectQuery, subjectReadRoute, subjectWriteRoute } from './find-subject.ts'
import { NameField } from './name.ts'
import { DocumentShape, readPolicy } from './policy-document.ts'
import { withLocationIds, withLocationNames } from './policy-locations.ts'
import { policyObject, SubjectRule } from './policy-object.ts'

export const RuleBody = Strict({ name: NameField, document: DocumentShape, kind: Type.Optional(Type.Unknown()) })

const all = '/subjects/:subject/rules'
const one = `${all}/:rule`
const ofRule: readonly ClassicRefusal[] = [...ofSubject, '2002 Rule not found']
const onRule = { query: subjectQuery, refusals: ofRule, find: findWithRule }
const ruleReadRoute = routesWith(member, onRule)
const ruleWriteRoute = routesWith(editor, onRule)
const builtIn: ClassicRefusal = '2003 Rule is managed by Website monitoring'
const ofDocument: readonly ClassicRefusal[] = [
  ...([invalid, invalidName, '2001 Unknown input', '2001 Invalid input mode'] as const),
  ...(['2001 Invalid rule document', subjectTooLarge] as const),
]

const depth = { signal: 'depth', mode: 'latest_value', compare: '>', threshold: 100, no_data_after: '5m' }
const tooDeep = {
  name: 'Too deep',
  document: { inputs: [depth], decision: { need: 'any' }, wait: { confirm_after: '2m', close_after: '2m' } },
}

const listRules = subjectReadRoute('GET', all, {
  summary: 'The rules of a subject.',
  result: Type.Array(SubjectRule),
  handler: async (context, { found: subject, traceId }) =>
    Promise.all(subject.rules.map(rule => ruleObject(context, traceId, subject, rule))),
})

const createRule = subjectWriteRoute('POST', all, {
  makes: 'rule',
  summary: 'Authors a rule, which judges from then on.',
  body: RuleBody,
  result: SubjectRule,
  refusals: ['2001 Rule name taken', '2004 Too many rules', ...ofDocument],
  examples: [tooDeep],
  handler: async (context, { found: subject, body, traceId }) => {
    const fields = await readRule(context, traceId, body, subject)
    const command = { kind: 'create-rule', id: commandId(), ...fields, convert: false } as const
    return ruleObject(context, traceId, subject, await context.keeper.send(subject.id, command, traceId))
  },
})

const getRule = ruleReadRoute('GET', one, {
  summary: 'A rule.',
  result: SubjectRule,
  handler: (context, { found: { subject, rule }, traceId }) => ruleObject(context, traceId, subject, rule),
})

/** Replaces the whole rule. The rule's id and slug do not change, so its incidents still belong to it. */
const replaceRule = ruleWriteRoute('POST', one, {
  summary: 'Replaces a rule: a new version of its policy, the same slug and incidents.',
  body: RuleBody,
  result: SubjectRule,
  refusals: [builtIn, ...ofDocument],
  examples: [{ ...tooDeep, name: 'Far too deep' }],
  handler: async (context, { found: { subject, rule }, body, traceId }) => {
    const fields = await readRule(context, traceId, body, subject)
    const command = { kind: 'replace-rule', id: commandId(), rule: rule.slug, ...fields } as const
    return ruleObject(context, traceId, subject, await context.keeper.send(subject.id, command, traceId))
  },
})

const deleteRule = ruleWriteRoute('DELETE', one, {
  summary: 'Removes a rule; its open incident closes without a message.',
  result: Strict({ message: Type.String(), rule_id: Type.String(), subject_id: Type.String() }),
  refusals: [builtIn, '2003 Rule is still used as an input'],
  handler: async ({ keeper }, { found: { subject, rule }, traceId }) => {
    const command = { kind: 'delete-rule', id: commandId(), rule: rule.slug } as const
    const { slug } = await keeper.send(subject.id, command, traceId)
    return { message: 'Rule deleted successfully', rule_id: slug, subject_id: subject.slug }
  },
})

export const ruleRoutes: readonly Route[] = [listRules, createRule, getRule, replaceRule, deleteRule]

/** Reads the fields of a rule. The session API calls this function too, when a new rule makes a website monitor a custom subject. */
export async function readRule(
  context: GatewayContext,
  traceId: string,
  { name, document }: Static<typeof RuleBody>,
  subject: Pick<CustomSubjectView, 'signals'>,
): Promise<{ name: string; policy: Policy }> {
  const isEvent = (slug: string) => subject.signals.some(signal => signal.slug === slug && signal.kind === 'custom_event')
  const policy = readPolicy(document, isEvent)
  return { name, policy: await withLocationIds(context, subject, policy, traceId) }
}

const write = writerOf(SubjectRule)
export async function ruleObject(
  context: GatewayContext,
  traceId: string,
  subject: Pick<CustomSubjectView, 'slug' | 'workspaceId' | 'signals'>,
  rule: RuleView,
) {
  const document = policyObject(await withLocationNames(context, subject, rule.policy, traceId))
  return write({ ...rule, id: rule.slug, subjectId: subject.slug, workspaceId: subject.workspaceId, document })
}
