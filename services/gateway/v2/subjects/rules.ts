// /v2/subjects/{subject}/rules: what decides that an incident opens (spec B, Rule).
import { Type } from 'typebox'
import type { Policy } from '#shared/contracts/policy.ts'
import type { CustomSubjectView, RuleView } from '#shared/contracts/subject-views.ts'
import { requireEditor } from '../../access.ts'
import type { Call } from '../../answer.ts'
import { commandId } from '../../command-id.ts'
import type { GatewayContext } from '../../context.ts'
import { Needed, required, shapeReader } from '../../fields.ts'
import { readObject } from '../../json-body.ts'
import { findCustomSubject, findRule } from './find-subject.ts'
import { NameField, readName } from './name.ts'
import { DocumentShape, readPolicy } from './policy-document.ts'
import { withLocationIds, withLocationNames } from './policy-locations.ts'
import { policyObject } from './policy-object.ts'

export const RuleBody = Type.Object(
  { name: NameField, document: Needed(DocumentShape), kind: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
)
const readShape = shapeReader(RuleBody)

export async function listRules(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  return Promise.all(subject.rules.map(rule => ruleObject(context, call, subject, rule)))
}

export async function getRule(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  return ruleObject(context, call, subject, findRule(subject, call))
}

export async function createRule(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  requireEditor(call.request.identity, subject.workspaceId)
  const fields = await readRule(context, call, subject)
  const command = { kind: 'create-rule', id: commandId(), ...fields, convert: false } as const
  return ruleObject(context, call, subject, await context.keeper.send(subject.id, command, call.traceId))
}

/** A full replacement: identity and slug stay, so that incidents stay attached. */
export async function replaceRule(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  const rule = findRule(subject, call)
  requireEditor(call.request.identity, subject.workspaceId)
  const fields = await readRule(context, call, subject)
  const command = { kind: 'replace-rule', id: commandId(), rule: rule.slug, ...fields } as const
  return ruleObject(context, call, subject, await context.keeper.send(subject.id, command, call.traceId))
}

export async function deleteRule(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  const rule = findRule(subject, call)
  requireEditor(call.request.identity, subject.workspaceId)
  const command = { kind: 'delete-rule', id: commandId(), rule: rule.slug } as const
  const { slug } = await context.keeper.send(subject.id, command, call.traceId)
  return { message: 'Rule deleted successfully', rule_id: slug, subject_id: subject.slug }
}

/** What a rule is made of, as sent: the session API, which makes website monitors custom, reads it too. */
export async function readRule(
  context: GatewayContext,
  call: Call,
  subject: Pick<CustomSubjectView, 'signals'>,
): Promise<{ name: string; policy: Policy }> {
  const sent = readShape(await readObject(call.request, call.reply))
  const name = readName(sent.name)
  const isEvent = (slug: string) => subject.signals.some(signal => signal.slug === slug && signal.kind === 'custom_event')
  const policy = readPolicy(required(sent.document, 'document'), isEvent)
  return { name, policy: await withLocationIds(context, subject, policy, call.traceId) }
}

export async function ruleObject(
  context: GatewayContext,
  { traceId }: Call,
  subject: Pick<CustomSubjectView, 'slug' | 'workspaceId' | 'signals'>,
  { slug, name, policyVersion, policy }: RuleView,
) {
  return {
    id: slug,
    name,
    subject_id: subject.slug,
    workspace_id: subject.workspaceId,
    policy_version: policyVersion,
    document: policyObject(await withLocationNames(context, subject, policy, traceId)),
    kind: 'subject_rule',
  }
}
