// Rules of custom subjects of generation 2 (reference/custom-subjects). Tested on the real keeper in virtual time.
import t, { type Test } from 'tap'
import { resultOf } from '../../support/clients/answers.ts'
import type { Answer } from '../../support/worlds/api-world.ts'
import {
  anyOf,
  at,
  documentsNameEveryRefusal,
  editor,
  get,
  home,
  incidents,
  keptVersions,
  made,
  post,
  raw,
  refuses,
  remove,
  report,
  rule,
  signal,
  statusOf,
  viewer,
  watched,
  world,
} from '../../support/worlds/subjects-v2-world.ts'

t.test('rule', async t => {
  const subject = await made('Rules')
  const beat = await signal(subject, 'Beat', 'heartbeat')
  const event = await signal(subject, 'Event', 'event')

  t.test('authored rule has version 1, exactly the documented fields, and the default `wait` and `state`', async t => {
    const created = resultOf(await post(at(subject, 'rules'), { name: 'First', document: anyOf(statusOf(beat)) }, editor))
    t.strictSame(created, {
      id: 'first',
      name: 'First',
      subject_id: subject,
      workspace_id: home,
      policy_version: 1,
      document: {
        inputs: [{ signal: 'beat', mode: 'status' }],
        decision: { state: 'down', need: 'any' },
        wait: { confirm_after: '2m0s', close_after: '2m0s' },
      },
      kind: 'subject_rule',
    })
    t.strictSame(resultOf(await get(at(subject, 'rules', 'first'), viewer)), created)
    t.strictSame(resultOf(await get(at(subject, 'rules'), viewer)), [created])
  })

  t.test('rule document with all fields is returned with normalised durations', async t => {
    const document = {
      inputs: [
        {
          signal: beat,
          mode: 'latest_value',
          compare: '>',
          threshold: -0.5,
          match: { host: '*', zone: '' },
          no_data_after: '90s',
        },
        { from: 'first' },
        { signal: event, mode: 'status' },
      ],
      decision: { state: 'down', need: 'at_least', at_least: 2 },
      wait: { confirm_after: '0s', close_after: '1h30m' },
    }
    const created = resultOf(await post(at(subject, 'rules'), { name: 'Second', document }))
    t.strictSame(created.document, {
      ...document,
      inputs: [{ ...document.inputs[0], no_data_after: '1m30s' }, ...document.inputs.slice(1)],
      wait: { confirm_after: '0s', close_after: '1h30m0s' },
    })
  })

  t.test('response omits each field whose sent value means that the field is unset', async t => {
    const document = {
      inputs: [
        { signal: beat, from: null, mode: 'status', compare: '', threshold: 0, match: {}, no_data_after: '0s' },
        { signal: '', from: 'first', mode: '', compare: null, threshold: null, match: null, no_data_after: '' },
        { signal: event, mode: 'status', no_data_after: '5m' },
        { from: 'second', no_data_after: '5m' },
      ],
      decision: { state: null, need: 'all', at_least: 0 },
      wait: { confirm_after: null },
    }
    const created = resultOf(await post(at(subject, 'rules'), { name: 'Third', document }))
    t.strictSame(created.document, {
      inputs: [{ signal: beat, mode: 'status' }, { from: 'first' }, { signal: event, mode: 'status' }, { from: 'second' }],
      decision: { state: 'down', need: 'all' },
      wait: { confirm_after: '2m0s', close_after: '2m0s' },
    })
  })

  t.test('delays and silences of a year are accepted', async t => {
    const year = '8760h0m0s'
    const document = { ...anyOf(statusOf(beat, { no_data_after: year })), wait: { confirm_after: year, close_after: year } }
    t.match(resultOf(await post(at(subject, 'rules'), { name: 'Yearly', document })).document, {
      inputs: [{ no_data_after: year }],
      wait: document.wait,
    })
  })

  t.test('threshold of 0 is stored for the mode latest_value', async t => {
    const input = { signal: beat, mode: 'latest_value', compare: '<', threshold: 0 }
    t.strictSame(resultOf(await post(at(subject, 'rules'), { name: 'Zero', document: anyOf(input) })).document.inputs, [input])
  })

  t.test('rule increments policy_version and keeps its slug when its document changes', async t => {
    const path = at(subject, 'rules', 'zero')
    const document = anyOf(statusOf(event))
    t.match(resultOf(await post(path, { name: 'Renamed', document }, editor)), { id: 'zero', name: 'Renamed', policy_version: 2 })
    t.match(resultOf(await post(path, { name: 'Renamed', document: anyOf(statusOf(beat)) })), { policy_version: 3 })
    t.match((await post(path, { name: '!', document })).json.error, { code: 2001 })
    t.match(
      resultOf(await post(path, { name: 'Renamed', document })),
      { policy_version: 4 },
      'back to what an earlier version said',
    )
    t.match(resultOf(await get(path)), { name: 'Renamed', policy_version: 4, document: { inputs: document.inputs } })
    t.strictSame(await keptVersions(subject, 'zero'), [1, 2, 3, 4])
  })

  t.test('rule keeps its policy_version when its document is equal after normalisation', async t => {
    const input = { signal: beat, mode: 'latest_value', compare: '>', threshold: 0, match: { zone: 'a', rack: '*' } }
    const document = { inputs: [{ ...input, no_data_after: '1m30s' }], decision: { state: 'down', need: 'any' } }
    const slug = await rule(subject, document, 'Same')
    const path = at(subject, 'rules', slug)
    const before = resultOf(await get(path))
    const same = { ...input, threshold: -0, match: { rack: '*', zone: 'a' }, from: null, no_data_after: '90s' }
    const spelled = { inputs: [same], decision: { need: 'any', at_least: 0 }, wait: { confirm_after: '120s', close_after: null } }
    t.strictSame(resultOf(await post(path, { name: 'Same', document: spelled })), before)
    t.strictSame(resultOf(await post(path, { name: 'Same', document: before.document })), before, 'as it was answered')
    t.strictSame(
      resultOf(await raw(path, JSON.stringify({ name: 'Same', document }).replace('"threshold":0', '"threshold":-0.0'))),
      before,
    )
    t.strictSame(resultOf(await post(path, { name: 'Renamed', document })), { ...before, name: 'Renamed' }, 'a rename alone')
    t.strictSame(resultOf(await get(path)), { ...before, name: 'Renamed' })
    t.strictSame(await keptVersions(subject, slug), [1])
    const differing = { ...document, wait: { confirm_after: '2m1s' } }
    t.match(resultOf(await post(path, { name: 'Renamed', document: differing })), { policy_version: 2 })
    t.strictSame(await keptVersions(subject, slug), [1, 2])
  })

  t.test('rule may be renamed to the name of another rule, because only slugs are unique', async t => {
    const document = anyOf(statusOf(event))
    const slug = await rule(subject, document, 'Namesake')
    t.match(resultOf(await post(at(subject, 'rules', slug), { name: 'First', document })), { id: 'namesake', name: 'First' })
    t.equal((await post(at(subject, 'rules'), { name: 'Namesake', document })).json.error.message, 'Rule name taken')
  })

  t.test('recreated rule has version 1 and an incident of its own', async t => {
    const { subject: again, slug, ruleSlug } = await watched()
    resultOf(await report(again, slug, { status: 'problem' }))
    const [before] = await incidents(again)
    resultOf(await post(at(again, 'incidents', before.id, 'acknowledge')))
    resultOf(await remove(at(again, 'rules', ruleSlug)))
    t.match(resultOf(await post(at(again, 'rules'), { name: 'Trouble', document: anyOf(statusOf(slug)) })), { policy_version: 1 })
    const [after] = await incidents(again)
    t.match(after, { rule_id: ruleSlug, status: 'pending', acknowledged: false })
    t.not(after.id, before.id)
    t.match(resultOf(await post(at(again, 'incidents', before.id, 'acknowledge'))), { status: 'ok', rule_id: ruleSlug })
    const [stored] = await world.store.find('subjects', { where: { slug: again }, limit: 1 })
    const kept = await world.store.find('policies', { where: { subjectId: stored?.id ?? '' }, limit: 9 })
    t.strictSame(
      kept.map(policy => policy.version),
      [1, 1],
      'the documents of both are kept',
    )
  })

  t.test('signal or rule cannot be deleted while an input of a rule reads it', async t => {
    const cited = await made()
    for (const name of ['One', 'Two']) await signal(cited, name, 'event')
    await rule(cited, anyOf(statusOf('one')), 'Base')
    await rule(cited, anyOf(statusOf('one')), 'Other')
    await rule(cited, anyOf(statusOf('one'), { from: 'other' }, { from: 'base' }, statusOf('two')), 'Top')
    const refusalOf = async (...path: string[]) => (await remove(at(cited, ...path))).json.error
    t.match(await refusalOf('signals', 'two'), { code: 2003, message: 'Signal is still used by a rule', details: /top/ })
    t.match(await refusalOf('rules', 'base'), { code: 2003, message: 'Rule is still used as an input', details: /top/ })
    resultOf(await post(at(cited, 'rules', 'top'), { name: 'Top', document: anyOf(statusOf('one')) }))
    resultOf(await remove(at(cited, 'signals', 'two')))
    resultOf(await remove(at(cited, 'rules', 'base')))
    t.match(resultOf(await get(at(cited))), { signal_count: 1, rule_count: 2 })
  })

  t.test('deletion returns message, rule_id and subject_id', async t => {
    await rule(subject, anyOf(statusOf(event)), 'Brief')
    t.strictSame(resultOf(await remove(at(subject, 'rules', 'brief'), editor)), {
      message: 'Rule deleted successfully',
      rule_id: 'brief',
      subject_id: subject,
    })
    t.equal((await get(at(subject, 'rules', 'brief'))).json.error.message, 'Rule not found')
  })

  const author =
    (document: unknown, name = 'New') =>
    () =>
      post(at(subject, 'rules'), { name, document })
  const input = (change: Record<string, unknown>) => author(anyOf({ signal: beat, mode: 'status', ...change }))
  const value = (change: Record<string, unknown>) => input({ mode: 'latest_value', compare: '<', threshold: 1, ...change })
  const document = (change: Record<string, unknown>) => author({ ...anyOf(statusOf(beat)), ...change })
  const duration = 'must be a duration such as 2m or 1h30m, in whole milliseconds, of at most 365 days'
  const invalidDocuments: [title: string, send: () => Promise<Answer>, details: string][] = [
    ['no inputs field', author({ decision: { need: 'any' } }), 'inputs is required'],
    ['an input that reads nothing', author(anyOf({ mode: 'status' })), 'inputs[0] sets exactly one of signal and from'],
    ['an input that reads a signal and a rule', input({ from: 'first' }), 'inputs[0] sets exactly one of signal and from'],
    ['65 inputs', author(anyOf(...Array.from({ length: 65 }, () => statusOf(beat)))), 'inputs holds at most 64 inputs'],
    ['10,000 inputs', author(anyOf(...Array.from({ length: 10_000 }, () => statusOf(beat)))), 'inputs holds at most 64 inputs'],
    ['a compare word', value({ compare: '>=' }), 'inputs[0].compare must be < or >'],
    ['latest_value without compare', value({ compare: null }), 'inputs[0].compare must be < or >'],
    ['latest_value without threshold', value({ threshold: null }), 'inputs[0].threshold is required by mode latest_value'],
    ['compare on status', input({ compare: '<' }), 'inputs[0].compare is for mode latest_value alone'],
    ['a threshold on status', input({ threshold: 5 }), 'inputs[0].threshold is for mode latest_value alone'],
    [
      'match on a from input',
      author(anyOf({ from: 'first', match: { a: 'b' } })),
      'inputs[0].match is for signals alone: a rule has no labels',
    ],
    [
      'an empty match key',
      input({ match: { '': 'x' } }),
      'inputs[0].match has keys of 1 to 64 characters without control characters',
    ],
    [
      'a match key of 65 characters',
      input({ match: { ['k'.repeat(65)]: 'x' } }),
      'inputs[0].match has keys of 1 to 64 characters without control characters',
    ],
    [
      'a match value of 257 characters',
      input({ match: { k: 'x'.repeat(257) } }),
      'inputs[0].match has values of at most 256 characters',
    ],
    [
      '65 match entries',
      input({ match: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, 'x'])) }),
      'inputs[0].match holds at most 64 labels',
    ],
    ['no_data_after that is no duration', input({ no_data_after: '5 minutes' }), `inputs[0].no_data_after ${duration}`],
    ['a negative no_data_after', input({ no_data_after: '-5m' }), `inputs[0].no_data_after ${duration}`],
    ['a no_data_after below a millisecond', input({ no_data_after: '1us' }), `inputs[0].no_data_after ${duration}`],
    ['a hold below a millisecond', document({ wait: { confirm_after: '1ns' } }), `wait.confirm_after ${duration}`],
    ['a hold of one and a half', document({ wait: { close_after: '1.5ms' } }), `wait.close_after ${duration}`],
    ['a no_data_after beyond a year', input({ no_data_after: '8761h' }), `inputs[0].no_data_after ${duration}`],
    ['a duration that overflows', document({ wait: { close_after: `${'9'.repeat(400)}h` } }), `wait.close_after ${duration}`],
    ['an empty hold', document({ wait: { confirm_after: '' } }), `wait.confirm_after ${duration}`],
    ['an unknown field', document({ version: 1 }), 'version is no field of a rule document'],
    ['kind inside the document', document({ kind: 'policy' }), 'kind is no field of a rule document'],
    ['an unknown field of an input', input({ label: 'x' }), 'inputs[0].label is no field of a rule document'],
    [
      'an unknown field of the decision',
      document({ decision: { need: 'any', more: 1 } }),
      'decision.more is no field of a rule document',
    ],
    ['an unknown field of wait', document({ wait: { forever: '1s' } }), 'wait.forever is no field of a rule document'],
    ['no decision', document({ decision: null }), 'decision.need must be one of any, majority, all, at_least'],
    ['an unknown need', document({ decision: { need: 'most' } }), 'decision.need must be one of any, majority, all, at_least'],
    ['another state', document({ decision: { need: 'any', state: 'up' } }), 'decision.state must be down'],
    [
      'at_least missing',
      document({ decision: { need: 'at_least' } }),
      'decision.at_least must be a whole number from 1 to the number of inputs',
    ],
    [
      'at_least 0',
      document({ decision: { need: 'at_least', at_least: 0 } }),
      'decision.at_least must be a whole number from 1 to the number of inputs',
    ],
    [
      'at_least above the inputs',
      document({ decision: { need: 'at_least', at_least: 2 } }),
      'decision.at_least must be a whole number from 1 to the number of inputs',
    ],
    [
      'at_least that is no whole number',
      document({ decision: { need: 'at_least', at_least: 0.5 } }),
      'decision.at_least must be a whole number from 1 to the number of inputs',
    ],
    [
      'at_least without need at_least',
      document({ decision: { need: 'any', at_least: 1 } }),
      'decision.at_least is for need at_least alone',
    ],
    [
      'a circle of one',
      () => post(at(subject, 'rules', 'first'), { name: 'First', document: anyOf({ from: 'first' }) }),
      'inputs[0].from makes a circle of rules',
    ],
    [
      'a circle of two',
      () => post(at(subject, 'rules', 'first'), { name: 'First', document: anyOf({ from: 'second' }) }),
      'inputs[0].from makes a circle of rules',
    ],
  ]
  refuses(
    [
      ...invalidDocuments.map(([title, send, details]) => ({
        title: `a document with ${title}`,
        send,
        code: 2001,
        message: 'Invalid rule document',
        details,
      })),
      {
        title: 'no mode',
        send: author(anyOf({ signal: beat })),
        code: 2001,
        message: 'Invalid input mode',
        details: 'inputs[0].mode must be status or latest_value',
      },
      { title: 'an unknown mode', send: input({ mode: 'both' }), code: 2001, message: 'Invalid input mode' },
      {
        title: 'a mode on a from input',
        send: author(anyOf(statusOf(beat), { from: 'first', mode: 'status' })),
        code: 2001,
        message: 'Invalid input mode',
        details: 'inputs[1].mode must not be set: the verdict of a rule is read as it is',
      },
      {
        title: 'an unknown signal',
        send: author(anyOf(statusOf('nowhere'))),
        code: 2001,
        message: 'Unknown input',
        details: /inputs\[0\]\.signal.*nowhere/,
      },
      ...['signal', 'from'].map(cites => ({
        title: `a ${cites} longer than any slug`,
        send: author(anyOf({ [cites]: '\u{1d4b6}'.repeat(2_000), ...(cites === 'signal' ? { mode: 'status' } : {}) })),
        code: 2001,
        message: 'Unknown input',
        details: new RegExp(`inputs\\[0\\]\\.${cites}`),
      })),
      {
        title: 'an unknown rule',
        send: author(anyOf({ from: 'nowhere' })),
        code: 2001,
        message: 'Unknown input',
        details: /inputs\[0\]\.from.*nowhere/,
      },
      {
        title: 'a rule that does not exist yet, its own slug,',
        send: author(anyOf({ from: 'new-one' }), 'New one'),
        code: 2001,
        message: 'Unknown input',
        details: 'inputs[0].from: the subject has no rule "new-one"',
      },
      { title: "another subject's signal", send: author(anyOf(statusOf('job'))), code: 2001, message: 'Unknown input' },
      {
        title: 'a rule name without letter or digit',
        send: author(anyOf(statusOf(beat)), '…'),
        code: 2001,
        message: 'Invalid name',
      },
      {
        title: 'a rule whose slug is taken',
        send: author(anyOf(statusOf(beat)), 'FIRST'),
        code: 2001,
        message: 'Rule name taken',
      },
      {
        title: 'a rule without name',
        send: () => post(at(subject, 'rules'), { document: anyOf(statusOf(beat)) }),
        code: 2001,
        message: 'Validation failed',
        details: "Field 'name' is required",
      },
      {
        title: 'a rule without document',
        send: () => post(at(subject, 'rules'), { name: 'New' }),
        code: 2001,
        message: 'Validation failed',
        details: "Field 'document' is required",
      },
      {
        title: 'an unknown field beside the document',
        send: () => post(at(subject, 'rules'), { name: 'New', document: anyOf(statusOf(beat)), id: 'new' }),
        code: 2006,
        message: 'Invalid JSON',
        details: /id/,
      },
      { title: 'a document of another type', send: author('any'), code: 2006, message: 'Invalid JSON' },
      { title: 'inputs of another type', send: document({ inputs: {} }), code: 2006, message: 'Invalid JSON' },
      {
        title: 'a match value of another type',
        send: author(anyOf(statusOf(beat), { signal: beat, mode: 'status', match: { k: 5 } })),
        code: 2006,
        message: 'Invalid JSON',
        details: "Field 'document.inputs[1].match.k' has the wrong type",
      },
      { title: 'a hold in seconds', send: document({ wait: { confirm_after: 120 } }), code: 2006, message: 'Invalid JSON' },
      { title: 'a threshold as text', send: value({ threshold: '1' }), code: 2006, message: 'Invalid JSON' },
      {
        title: 'a threshold that is not finite',
        send: () =>
          raw(
            at(subject, 'rules'),
            `{"name":"New","document":{"inputs":[{"signal":"${beat}","mode":"latest_value","compare":"<","threshold":1e999}],"decision":{"need":"any"}}}`,
          ),
        code: 2006,
        message: 'Invalid JSON',
      },
      {
        title: 'an unknown rule in the path',
        send: () => get(at(subject, 'rules', 'none')),
        code: 2002,
        message: 'Rule not found',
      },
      {
        title: 'an unknown rule replaced by a viewer',
        send: () => post(at(subject, 'rules', 'none'), {}, viewer),
        code: 2002,
        message: 'Rule not found',
      },
      {
        title: 'an unknown rule deleted',
        send: () => remove(at(subject, 'rules', 'none')),
        code: 2002,
        message: 'Rule not found',
      },
      {
        title: 'a rule made by a viewer',
        send: () => post(at(subject, 'rules'), {}, viewer),
        code: 2005,
        message: 'Access denied',
      },
      { title: 'a rule replaced by a viewer', send: () => post(at(subject, 'rules', 'first'), {}, viewer), code: 2005 },
      { title: 'a rule deleted by a viewer', send: () => remove(at(subject, 'rules', 'first'), viewer), code: 2005 },
      {
        title: 'a delete of a signal that a rule reads',
        send: () => remove(at(subject, 'signals', beat)),
        code: 2003,
        message: 'Signal is still used by a rule',
      },
      {
        title: 'a delete of a rule that another cites',
        send: () => remove(at(subject, 'rules', 'first')),
        code: 2003,
        message: 'Rule is still used as an input',
      },
    ],
    t as Test,
  )
})

documentsNameEveryRefusal()
