// Custom subjects and their rules in a real browser, with the real keeper, directory and gateway in virtual time.
import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { axeFaults, type OpenOptions, open, overflows, tabTo, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const { workspaceId: home } = world
  const ops = {
    id: 'ops',
    workspaceId: home,
    name: 'Ops',
    type: 'webhook',
    url: 'https://ops.example.com/',
    channel: '',
  } as const
  await world.ask('create-destination', { ...ops, default: true, transformationId: null })
  const visit = (path: string, as: string, options: OpenOptions = {}) => open(world.address, path, { as, ...options })

  const v2 = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const { json } = await world.editor.send(method, `/session/v2${path}?workspace_id=${home}`, body ? { body } : {})
    if (json.error !== null) throw new Error(json.error.details)
    return json.result
  }
  /** Creates a custom subject with the heartbeat `beat`; returns its slug and its id. */
  const custom = async (name: string) => {
    const { id: slug } = await v2('POST', '/subjects', { workspace_id: home, name })
    await v2('POST', `/subjects/${slug}/signals`, { name: 'Beat', kind: 'heartbeat' })
    const { json } = await world.editor.send('GET', `/api/v3/workspaces/${home}/resources/${slug}`)
    return { slug, id: String(json.result.id) }
  }
  const report = async (slug: string, body: object) => {
    await v2('POST', `/subjects/${slug}/signals/beat/observations`, body)
    await world.clock.advance(limits.trial.readingMs + limits.events.gatherMs)
  }
  const trial = (page: Page) => page.getByRole('region', { name: 'What it would say now' })
  const area = (page: Page) => page.getByLabel('Document', { exact: true })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const faultOf = (page: Page, words: string) => page.locator('.json-fault', { hasText: words }).waitFor()
  const newRule = (id: string) => `/monitors/${id}/signals#new-rule`
  const simple = { inputs: [{ signal: 'beat', mode: 'status' }], decision: { need: 'any' } }
  const isRefused = (fault: string) => fault.includes('status of 4')
  const others = (faults: readonly string[]) => faults.filter(fault => !isRefused(fault))

  t.test('a newcomer makes a monitor for reports by keyboard and sees whether a rule would notify somebody', async t => {
    const { page, faults, close } = await visit('/', 'edith')
    await page.getByRole('link', { name: 'Add monitor' }).or(page.getByLabel('URL')).first().waitFor()
    await page.goto(`${world.address}/monitors/new`)
    await page.getByLabel('URL').waitFor()
    await tabTo(page, 'Something that reports')
    await page.keyboard.press('Enter')
    await tabTo(page, 'More')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Add monitor without a Template')
    await page.keyboard.press('Enter')
    await button(page, 'Add monitor').waitFor()
    await tabTo(page, 'name')
    await page.keyboard.type('Nightly backup')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Signals and rules of Nightly backup' }).waitFor()
    await page.getByText('No signals yet').waitFor()
    t.equal(await button(page, 'Add rule').count(), 0, 'a rule needs a signal to read')
    await tabTo(page, 'Add signal')
    await page.keyboard.press('Enter')
    await tabTo(page, 'name')
    await page.keyboard.type('Run')
    await page.keyboard.press('Enter')
    await page.getByText('No rule reads it.').waitFor()
    await v2('POST', '/subjects/nightly-backup/signals/run/observations', { status: 'problem', value: 3, error: 'disk full' })
    await world.clock.advance(4_000)
    await tabTo(page, 'Add rule')
    await page.keyboard.press('Enter')
    await page.locator('input[name=name]:focus').waitFor()
    await page.keyboard.type('Backup fails')
    t.match(JSON.parse(await area(page).inputValue()), { inputs: [{ signal: 'run', mode: 'status' }] }, 'an example to change')
    await trial(page).getByText('1 of 1 input failing (run).').waitFor()
    await trial(page).getByText('An incident opens at once, as Pending. After 2 min it is confirmed as Problem').waitFor()
    await trial(page).getByText('Ops, the default of the workspace, gets all messages.').waitFor()
    t.match(await trial(page).getByRole('listitem').first().textContent(), /^inputs\[0\] run Problem 3, \d s ago\. Disk full\./)
    await tabTo(page, 'document')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('{"inputs": [{"signal": "run", "mode": "status"}], "decision": {"need": "any"},')
    await page.keyboard.press('Enter')
    await page.keyboard.type(' "wait": {"confirm_after": "30s"}}')
    await trial(page).getByText('After 30 s it is confirmed').waitFor()
    t.same(await v2('GET', '/subjects/nightly-backup/rules'), [], 'nothing is saved by looking')
    await tabTo(page, 'Save rule')
    await page.keyboard.press('Enter')
    await page.getByText('Rule Backup fails is saved. It judges from now on.').waitFor()
    await page.locator('#rule-backup-fails:focus').waitFor()
    await page.locator('#rule-backup-fails .status', { hasText: 'Problem' }).waitFor()
    const [incident] = await v2('GET', '/subjects/nightly-backup/incidents')
    t.match(incident, { rule_id: 'backup-fails', status: 'pending' })
    t.same(faults, [])
    await close()
  })

  t.test('readings beside the document follow each new report, also of a signal that the document does not read', async t => {
    const { slug, id } = await custom('Followed')
    await v2('POST', `/subjects/${slug}/signals`, { name: 'Other', kind: 'event' })
    const { page, faults, close } = await visit(newRule(id), 'edith')
    await trial(page).getByText('Waiting for the first report of 1 of 1 input').waitFor()
    await trial(page).getByText('No incident opens until it can decide.').waitFor()
    const compared = { signal: 'beat', mode: 'latest_value', compare: '>', threshold: 9 }
    await area(page).fill(JSON.stringify({ ...simple, inputs: [compared] }))
    await report(slug, { status: 'ok', value: 12 })
    await trial(page).getByText('After 2 min it is confirmed').waitFor()
    const signal = (name: string) =>
      trial(page).getByRole('list', { name: 'Signals' }).getByRole('listitem').filter({ hasText: name })
    await signal('beat OK 12, ').waitFor()
    await report(slug, { status: 'ok', value: 4 })
    await trial(page).getByText('No incident opens.').waitFor()
    await signal('beat OK 4, ').waitFor()
    await signal('other No report yet').waitFor()
    await v2('POST', `/subjects/${slug}/signals/other/observations`, { status: 'problem', error: 'rolled back' })
    await world.clock.advance(limits.trial.readingMs + limits.events.gatherMs)
    await signal('other').getByText('rolled back').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('trial is repeated at each reading and when time changes its result, and at no other moment', async t => {
    const { slug, id } = await custom('Awaited')
    const before = (context: BrowserContext) => context.clock.install({ time: world.clock.now() })
    const seen = await visit(newRule(id), 'edith', { before })
    let asked = 0
    seen.page.on('request', request => {
      if (request.url().includes('/rules/trial')) asked++
    })
    const says = (words: string) => trial(seen.page).getByText(words).waitFor()
    await seen.page.getByText('Live', { exact: true }).waitFor()
    await seen.page.clock.runFor(1_000)
    await says('Waiting for the first report of 1 of 1 input')
    const first = asked
    await seen.page.clock.runFor(limits.trial.watchMs - 10_000)
    t.equal(asked, first, 'nothing is asked while nothing happens')
    await report(slug, { status: 'problem', value: 12 })
    await seen.page.clock.runFor(1_000)
    await says('1 of 1 input failing (beat).')
    t.equal(asked, first + 1, 'a reading asks once')
    await seen.page.clock.runFor(limits.trial.watchMs)
    t.equal(asked, first + 2, 'the end of the minute asks once')
    t.same(seen.faults, [])
    await seen.close()
  })

  t.test('a fault of the JSON is said with its line and column, and the text stays when it is saved like this', async t => {
    const { slug, id } = await custom('Typed')
    const { page, faults, close } = await visit(newRule(id), 'edith')
    await page.getByLabel('Name', { exact: true }).fill('Broken')
    const text = (await area(page).inputValue()).replace('"status",', '"status"')
    await area(page).fill(text)
    await faultOf(page, 'Line 6, column 7: a comma or } is missing before "no_data_after".')
    t.equal(await page.locator('.json-lines [data-fault=true]').textContent(), '6')
    t.equal(await area(page).getAttribute('aria-invalid'), 'true')
    const described = await area(page).getAttribute('aria-describedby')
    t.match(await page.locator(`#${described?.split(' ')[0]}`).textContent(), /^Line 6/)
    await trial(page).getByText('Nothing, until the document is right.').waitFor()
    await button(page, 'Save rule').click()
    await page.locator('textarea:focus').waitFor()
    t.equal(await page.evaluate<number>('document.activeElement.selectionStart'), text.indexOf('"no_data_after"'))
    t.equal(await area(page).inputValue(), text)
    t.same(await v2('GET', `/subjects/${slug}/rules`), [])
    await area(page).fill(text.replace('"status"', '"status",'))
    await trial(page).getByText('Waiting for the first report of 1 of 1 input').waitFor()
    t.equal(await page.locator('.json-fault p').count(), 0)
    t.same(faults, [], 'a text that is no JSON is never sent')
    await close()
  })

  t.test('a refusal is said in the words of the API at the line that it names, while typing and when it is saved', async t => {
    const { slug, id } = await custom('Refused')
    await v2('POST', `/subjects/${slug}/rules`, { name: 'Taken', document: simple })
    const { page, faults, close } = await visit(newRule(id), 'edith')
    const save = async (name: string) => {
      await page.getByLabel('Name', { exact: true }).fill(name)
      await button(page, 'Save rule').click()
    }
    const wrong: [change: object, line: RegExp, details: RegExp][] = [
      [{ inputs: [{ signal: 'beat', mode: 'latest_value' }] }, /^\{$/, /^inputs\[0\].compare must be < or >$/],
      [
        { inputs: [simple.inputs[0], { signal: 'gone', mode: 'status' }] },
        /"signal": "gone"/,
        /^inputs\[1\].signal: the subject has no/,
      ],
      [{ inputs: [{ ...simple.inputs[0], threshold: 'many' }] }, /"threshold": "many"/, /inputs\[0\].threshold/],
      [{ wait: { confirm_after: '9000h' } }, /"confirm_after"/, /^wait.confirm_after must be a duration/],
      [{ decision: {} }, /"decision": \{\}/, /^decision.need must be one of/],
      [{ extra: true }, /"extra": true/, /^extra is no field of a rule document$/],
    ]
    for (const [change, line, details] of wrong) {
      const document = { ...simple, ...change }
      const text = JSON.stringify(document, null, 2)
      const path = `/session/v2/subjects/${slug}/rules?workspace_id=${home}`
      const { json } = await world.editor.send('POST', path, { body: { name: 'Free', document } })
      t.match(json.error.details, details)
      await area(page).fill(text)
      const at = text.split('\n').findIndex(one => line.test(one.trim())) + (line.source === '^\\{$' ? 3 : 1)
      await faultOf(page, `Line ${at}: ${json.error.details}`)
      await save('Free')
      await page.locator('textarea:focus').waitFor()
      await button(page, 'Save rule').and(page.locator('[aria-busy=false]')).waitFor()
      await faultOf(page, `Line ${at}: ${json.error.details}`)
      t.equal(await area(page).inputValue(), text, 'the text stays')
    }
    await area(page).fill(JSON.stringify(simple))
    await save('')
    await page.locator('[data-field=name] .refusal').waitFor()
    await save('taken')
    await page.locator('[data-field=name] .refusal', { hasText: 'has a rule "taken" already' }).waitFor()
    t.equal(await area(page).inputValue(), JSON.stringify(simple))
    t.equal((await v2('GET', `/subjects/${slug}/rules`)).length, 1)
    t.same(others(faults), [])
    await close()
  })

  t.test('a document is shown as it is stored, and stays the same when it is saved again under another name', async t => {
    const { slug, id } = await custom('Whole')
    await v2('POST', `/subjects/${slug}/rules`, { name: 'First', document: simple })
    const compared = { signal: 'beat', mode: 'latest_value', compare: '<', threshold: 0.5, match: { host: 'db1', 'a.b': '*' } }
    const document = {
      inputs: [{ ...compared, no_data_after: '1h30m0s' }, { from: 'first' }],
      decision: { state: 'down', need: 'at_least', at_least: 2 },
      wait: { confirm_after: '2m0s', close_after: '1m30s' },
    }
    await v2('POST', `/subjects/${slug}/rules`, { name: 'All kinds', document })
    const { page, close } = await visit(`/monitors/${id}`, 'edith')
    await page.getByRole('link', { name: 'All kinds' }).click()
    await page.locator('#rule-all-kinds textarea:focus').waitFor()
    t.same(JSON.parse(await area(page).inputValue()), document)
    await trial(page).getByText('inputs[1] rule first').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('All sorts')
    await button(page, 'Save rule').click()
    await page.getByText('Rule All sorts is saved.').waitFor()
    const again = await v2('GET', `/subjects/${slug}/rules/all-kinds`)
    t.same([again.name, again.document, again.policy_version], ['All sorts', document, 1])
    await close()
  })

  t.test('leaving asks while text is unsaved, by every way out, and only then; Tab moves on', async t => {
    const { slug, id } = await custom('Left')
    await v2('POST', `/subjects/${slug}/rules`, { name: 'Kept', document: simple })
    const { page, faults, close } = await visit(`/monitors/${id}/signals#rule-kept`, 'edith')
    const asked: string[] = []
    let isAgreed = false
    page.on('dialog', dialog => {
      asked.push(dialog.type())
      void (isAgreed ? dialog.accept() : dialog.dismiss())
    })
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.press('Tab')
    t.equal(await page.locator('textarea:focus').count(), 0, 'Tab leaves the text')
    await area(page).press('Escape')
    await page.locator('#rule-kept:focus').waitFor()
    t.same(asked, [], 'nothing was typed')
    await button(page, 'Edit rule: Kept').click()
    await area(page).fill('{"inputs": ')
    await area(page).press('Escape')
    await button(page, 'Cancel').click()
    await button(page, 'Add rule').click()
    await page.getByRole('link', { name: 'Incidents' }).click()
    t.same(asked, ['confirm', 'confirm', 'confirm', 'confirm'])
    t.equal(await area(page).inputValue(), '{"inputs": ')
    t.match(page.url(), /\/signals/)
    // The reload itself never ends, because the person stays.
    const [dialog] = await Promise.all([page.waitForEvent('dialog'), Promise.race([page.reload().catch(() => {}), null])])
    t.equal(dialog.type(), 'beforeunload')
    t.equal(await area(page).inputValue(), '{"inputs": ')
    isAgreed = true
    await page.getByRole('link', { name: 'Incidents' }).click()
    await page.getByRole('heading', { name: 'Incidents', level: 1 }).waitFor()
    const before = asked.length
    await page.getByRole('link', { name: 'Monitoring' }).first().click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    t.equal(asked.length, before, 'the next page asks nothing')
    t.same(others(faults), [])
    await close()
  })

  t.test('page says what is lost before it removes a rule with an open incident, or a signal', async t => {
    const { slug, id } = await custom('Lost')
    await report(slug, { status: 'problem' })
    await v2('POST', `/subjects/${slug}/rules`, { name: 'Failing', document: simple })
    const { page, faults, close } = await visit(`/monitors/${id}/signals`, 'edith')
    await page.getByText('Read by Failing.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Remove signal: Beat' }).count(), 0, 'a signal that is read stays')
    await page.getByRole('button', { name: 'Remove rule: Failing' }).click()
    await page.getByText('It closes at once, and nobody is notified of that.').waitFor()
    await button(page, 'Remove rule').click()
    await page.getByText('A signal that no rule reads raises nothing.').waitFor()
    t.same(await v2('GET', `/subjects/${slug}/incidents`), [])
    await button(page, 'Change: Beat').click()
    await page.getByLabel('Notes as JSON').fill('{')
    await button(page, 'Save').click()
    await page.locator('[data-field=meta] .refusal', { hasText: 'Line 1, column 2' }).waitFor()
    await page.getByLabel('Notes as JSON').fill('[1]')
    await button(page, 'Save').click()
    await page.locator('[data-field=meta] .refusal', { hasText: 'object' }).waitFor()
    await page.getByLabel('Notes as JSON').fill('{"host": "db1"}')
    await page.getByLabel('Name', { exact: true }).fill('Pulse')
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: 'Pulse' }).waitFor()
    t.match(await v2('GET', `/subjects/${slug}/signals/beat`), { name: 'Pulse', meta: { host: 'db1' } })
    await button(page, 'Remove signal: Pulse').click()
    await page.getByText('All that was reported to it is lost.').waitFor()
    await button(page, 'Remove signal').click()
    await page.getByText('No signals yet').waitFor()
    t.same(others(faults), [])
    await close()
  })

  t.test('viewer reads documents and the results of trials, and sees no button whose action would be refused', async t => {
    const { slug, id } = await custom('Read only')
    await v2('POST', `/subjects/${slug}/rules`, { name: 'Failing', document: simple })
    const { page, faults, close } = await visit(newRule(id), 'vera')
    await button(page, 'Show rule: Failing').waitFor()
    t.equal(await page.locator('main button').count(), 1, 'a viewer adds no rule')
    await button(page, 'Show rule: Failing').click()
    await trial(page).getByText('Waiting for the first report').first().waitFor()
    t.equal(await area(page).getAttribute('readonly'), '')
    t.equal(await page.locator('main form').count(), 0)
    await area(page).press('Escape')
    await button(page, 'Show rule: Failing').waitFor()
    await page.goto(`${world.address}/monitors/new/custom`)
    await page.getByText('An editor or owner of the workspace adds monitors.').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test(
    'a first rule makes a website custom after a warning, reads its checks, and leaves the built-in rule as it is',
    async t => {
      const id = await world.addMonitor('Slow shop')
      await world.report(id, 'aaaa', true)
      const { page, faults, close } = await visit(`/monitors/${id}/signals`, 'edith')
      await page.getByText('No rules of its own').waitFor()
      await button(page, 'Add rule').click()
      await page.getByText('A first rule makes this website a monitor with rules of its own, for good.').waitFor()
      const { inputs, ...rest } = JSON.parse(await area(page).inputValue())
      const compared = { signal: inputs[0].signal, mode: 'latest_value', compare: '>', threshold: 1 }
      await area(page).fill(JSON.stringify({ ...rest, inputs: [compared] }))
      await trial(page).getByText('An incident opens at once, as Pending.').waitFor()
      await trial(page).getByText('from de').waitFor()
      t.equal((await world.editor.send('GET', `/session/monitors/${id}`)).json.kind, 'website', 'nothing is saved by looking')
      await page.getByLabel('Name', { exact: true }).fill('Too slow')
      await button(page, 'Save rule').click()
      await page.getByText('Rule Too slow is saved.').waitFor()
      t.equal((await world.editor.send('GET', `/session/monitors/${id}`)).json.kind, 'custom')
      await page.getByText('Website monitoring keeps this rule.').waitFor()
      t.equal(await page.getByRole('button', { name: 'rule: Reachability' }).count(), 0)
      await button(page, 'Edit rule: Too slow').click()
      await trial(page).getByText('Its open incident is Pending.').waitFor()
      t.same(faults, [])
      await close()
    },
  )

  t.test('a subject of 100 signals and a rule of 64 inputs with hostile names are shown, tried and saved', async t => {
    const name = '\u05d0'.repeat(100)
    const { slug, id } = await custom(name)
    const hostile = '<script>alert(1)</script>'
    for (let n = 2; n <= 100; n++) await v2('POST', `/subjects/${slug}/signals`, { name: `${hostile} ${n}`, kind: 'event' })
    const input = { signal: 'beat', mode: 'status', match: { [hostile]: hostile }, no_data_after: '10m' }
    const document = { inputs: Array.from({ length: 64 }, () => input), decision: { need: 'majority' } }
    await v2('POST', `/subjects/${slug}/rules`, { name: hostile, document })
    await report(slug, { status: 'problem', error: hostile, labels: { [hostile]: hostile } })
    const { page, faults, close } = await visit(`/monitors/${id}/signals#rule-script-alert-1-script`, 'edith', { width: 360 })
    await trial(page).getByText('64 of 64 inputs failing').waitFor()
    t.notOk(await overflows(page), 'the rule fits')
    await page.getByRole('heading', { name: `${hostile} 100` }).waitFor()
    const text = await area(page).inputValue()
    await area(page).fill(text.replace('"majority"', '"most"'))
    const line = text.split('\n').findIndex(one => one.includes('"majority"')) + 1
    await button(page, `Go to line ${line}`).click()
    const isInView = `(area => {
      const top = ${line - 1} * area.scrollHeight / area.value.split('\\n').length - area.scrollTop
      return top > 0 && top < area.clientHeight && document.querySelector('.json-lines').scrollTop === area.scrollTop
    })(document.activeElement)`
    // The numbers follow the text in the next frame.
    await page.waitForFunction(isInView)
    await area(page).fill(text.replace('"majority"', '"all"'))
    await button(page, 'Save rule').click()
    await page.getByText('is saved. It judges from now on.').waitFor()
    t.equal((await v2('GET', `/subjects/${slug}/rules`))[0].document.decision.need, 'all')
    t.same(others(faults), [])
    await close()
  })

  t.test('typed text stays when another person saves or removes the rule, or the session ends', async t => {
    const { slug, id } = await custom('Ended')
    await v2('POST', `/subjects/${slug}/rules`, { name: 'Old', document: simple })
    const { page, context, close } = await visit(`/monitors/${id}/signals#rule-old`, 'edith')
    await page.getByText('Live', { exact: true }).waitFor()
    await trial(page).getByText('Waiting for the first report').first().waitFor()
    const typed = JSON.stringify({ ...simple, wait: { confirm_after: '1m' } })
    await area(page).fill(typed)
    await v2('POST', `/subjects/${slug}/rules/old`, { name: 'Old', document: { ...simple, wait: { confirm_after: '9m' } } })
    await report(slug, { status: 'ok' })
    await page.getByText('Another person has saved this rule since you opened it.').waitFor()
    await world.editor.send('DELETE', `/session/v2/subjects/${slug}/rules/old?workspace_id=${home}`, {})
    await report(slug, { status: 'ok' })
    await trial(page).getByText('Rule does not exist').waitFor()
    await button(page, 'Save rule').click()
    await page.getByRole('alert').getByText('Rule does not exist').waitFor()
    t.equal(await area(page).inputValue(), typed)
    // Typed before the session ends: any request may open the dialog, and nothing behind it takes text.
    await area(page).fill(`${typed} `)
    await context.clearCookies()
    await report(slug, { status: 'ok' })
    await page.getByRole('dialog', { name: 'You are signed out' }).waitFor()
    t.equal(await area(page).inputValue(), `${typed} `)
    await close()
  })

  t.test('the page is accessible, small, without errors and no wider than its window', { timeout: 240_000 }, async t => {
    const { slug, id } = await custom('A subject with a name that is rather long, as some are')
    await report(slug, { status: 'problem', value: 97.5, error: 'disk full: '.repeat(20) })
    const inputs = ['a', 'b', 'c'].map(host => ({ signal: 'beat', mode: 'status', match: { host }, no_data_after: '10m' }))
    const document = { inputs: [...inputs, { signal: 'beat', mode: 'status' }], decision: { need: 'any' } }
    await v2('POST', `/subjects/${slug}/rules`, { name: 'Any shard', document })
    for (const path of [`/monitors/${id}/signals`, newRule(id), `/monitors/${id}/signals#rule-any-shard`]) {
      for (const [colorScheme, width] of [['light', 360] as const, ['dark', 1280] as const]) {
        const { page, faults, bytes, close } = await visit(path, 'edith', { colorScheme, width })
        await page.locator('.card').first().waitFor()
        if (path.includes('#')) {
          await trial(page).locator('.status').first().waitFor()
          t.ok(bytes() <= 48_000, `bytes with the editor: ${path}, ${bytes()}`)
          await page.getByText('What a document says').click()
          await area(page).fill('{"inputs": [], }')
          await faultOf(page, 'Line 1')
        }
        t.same(await axeFaults(page), [], `axe: ${path}, ${colorScheme}, ${width} px`)
        t.notOk(await overflows(page), `width: ${path}, ${width} px`)
        t.same(faults, [], `faults: ${path}`)
        if (!path.includes('#')) t.ok(bytes() <= 40_000, `bytes: ${path}, ${bytes()}`)
        await close()
      }
    }
  })
})
