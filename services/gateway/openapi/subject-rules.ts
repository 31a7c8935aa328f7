// The rules of custom subjects (spec B, Rule; D 1, Policies as answered).
import { Type } from 'typebox'
import { RuleBody } from '../v2/subjects/rules.ts'
import { Answered, type Descriptions, Kind, type Refusal } from './description.ts'
import { invalid, invalidName, subjectTooLarge } from './refusals.ts'
import { anyWorkspaceQuery, ofSubject } from './subject-address.ts'

const Duration = Type.String({
  pattern: '^((\\d+h)?(\\d+m)?\\d+([.]\\d+)?s|\\d+ms)$',
  description: 'Normalised: 2m0s, 1h30m0s, 1.5s, 250ms, 0s.',
})

/** What is unset is absent. */
const Input = Type.Object(
  {
    signal: Type.Optional(Type.String()),
    from: Type.Optional(Type.String({ description: 'Another rule: its verdict is the input.' })),
    mode: Type.Optional(Type.Enum(['status', 'latest_value'])),
    compare: Type.Optional(Type.Enum(['<', '>'])),
    threshold: Type.Optional(Type.Number()),
    match: Type.Optional(Type.Record(Type.String(), Type.String())),
    no_data_after: Type.Optional(Duration),
  },
  { additionalProperties: false },
)

const Document = Answered('Policy', {
  inputs: Type.Array(Input),
  decision: Type.Object(
    {
      state: Type.Literal('down'),
      need: Type.Enum(['any', 'majority', 'all', 'at_least']),
      at_least: Type.Optional(Type.Integer({ minimum: 1 })),
    },
    { additionalProperties: false },
  ),
  wait: Type.Object({ confirm_after: Duration, close_after: Duration }, { additionalProperties: false }),
})

export const SubjectRule = Answered('SubjectRule', {
  id: Type.String({ description: 'The slug; what another rule cites with `from`.' }),
  name: Type.String(),
  subject_id: Type.String(),
  workspace_id: Type.String(),
  policy_version: Type.Integer({ minimum: 1 }),
  document: Document,
  kind: Kind('subject_rule'),
})

const query = anyWorkspaceQuery
const ofRule: readonly Refusal[] = [...ofSubject, '2002 Rule not found']
const ofDocument: readonly Refusal[] = [
  invalid,
  invalidName,
  '2001 Unknown input',
  '2001 Invalid input mode',
  '2001 Invalid rule document',
  subjectTooLarge,
]

export const rulesOfSubjects: Descriptions = {
  'GET /v2/subjects/{subject}/rules': {
    summary: 'The rules of a subject.',
    query,
    result: Type.Array(SubjectRule),
    refusals: ofSubject,
  },
  'POST /v2/subjects/{subject}/rules': {
    summary: 'Authors a rule, which judges from then on.',
    query,
    body: RuleBody,
    result: SubjectRule,
    refusals: ['2001 Rule name taken', '2004 Too many rules', ...ofDocument, ...ofSubject],
  },
  'GET /v2/subjects/{subject}/rules/{rule}': { summary: 'A rule.', query, result: SubjectRule, refusals: ofRule },
  'POST /v2/subjects/{subject}/rules/{rule}': {
    summary: 'Replaces a rule: a new version of its policy, the same slug and incidents.',
    query,
    body: RuleBody,
    result: SubjectRule,
    refusals: ['2003 Rule is managed by Website monitoring', ...ofDocument, ...ofRule],
  },
  'DELETE /v2/subjects/{subject}/rules/{rule}': {
    summary: 'Removes a rule; its open incident closes without a message.',
    query,
    result: Type.Object(
      { message: Type.String(), rule_id: Type.String(), subject_id: Type.String() },
      { additionalProperties: false },
    ),
    refusals: ['2003 Rule is managed by Website monitoring', '2003 Rule is still used as an input', ...ofRule],
  },
}
