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

  t.test('a newcomer makes a monitor for reports by keyboard and sees whether a rule would notify somebody', async t => {
    const { page, faults, close } = await visit('/', 'edith')
    await page.getByRole('link', { name: 'Add monitor' }).or(page.getByLabel('URL')).first().waitFor()
    await page.goto(`${world.address}/monitors/new`)
    await page.getByLabel('URL').waitFor()
    await tabTo(page, 'Add monitor for reports')
    await page.keyboard.press('Enter')
    await tabTo(page, 'More')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Add monitor without a Template')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Add monitor' }).waitFor()
    await tabTo(page, 'name')
    await page.keyboard.type('Nightly backup')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Signals and rules of Nightly backup' }).waitFor()
    await page.getByText('Add a signal first.').waitFor()
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
    await trial(page).getByText('1 of 1 input failing (run).').waitFor()
    await trial(page).getByText('An incident opens at once, as Pending.').waitFor()
    await trial(page).getByText('After 2 min it is confirmed as Problem, and Ops is notified.').waitFor()
    t.match(await trial(page).getByRole('row').nth(1).textContent(), /^RunProblem3\d sDisk full\./)
    await tabTo(page, 'wait.confirm_after')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('30s')
    await trial(page).getByText('After 30 s it is confirmed as Problem').waitFor()
    t.same(await v2('GET', '/subjects/nightly-backup/rules'), [], 'nothing is saved by looking')
    await tabTo(page, 'Save rule')
    await page.keyboard.press('Enter')
    await page.getByText('Rule Backup fails is saved. It judges from now on.').waitFor()
    await page.getByRole('region', { name: 'Open incidents' }).locator('.status', { hasText: 'Pending' }).waitFor()
    await page.getByRole('link', { name: 'Backup fails' }).first().waitFor()
    const [incident] = await v2('GET', '/subjects/nightly-backup/incidents')
    t.match(incident, { rule_id: 'backup-fails', status: 'pending' })
    const isNow = (state: string) =>
      page.getByRole('region', { name: 'Open incidents' }).locator('.status', { hasText: state }).waitFor()
    await v2('POST', '/subjects/nightly-backup/signals/run/observations', { status: 'ok', value: 0 })
    await world.clock.advance(1_000)
    await isNow('Recovering')
    await v2('POST', '/subjects/nightly-backup/signals/run/observations', { status: 'problem' })
    await world.clock.advance(1_000)
    await isNow('Pending')
    t.same(faults, [])
    await close()
  })

  t.test('form updates its readings at each new report, even of a signal that no rule reads', async t => {
    const { slug, id } = await custom('Followed')
    const { page, faults, close } = await visit(`/monitors/${id}/rules/new`, 'edith')
    await trial(page).getByText('Waiting for the first report of 1 of 1 input').waitFor()
    await trial(page).getByText('No incident opens until it can decide.').waitFor()
    await page.getByLabel('Fails when it').selectOption('>')
    await trial(page).getByText('It cannot be saved like this yet: Give a number to compare with.').waitFor()
    await page.getByLabel('Above').fill('9')
    await report(slug, { status: 'ok', value: 12 })
    await trial(page).getByText('After 2 min it is confirmed as Problem').waitFor()
    await report(slug, { status: 'ok', value: 4 })
    await trial(page).getByText('No incident opens.').waitFor()
    await trial(page).getByText('A problem that lasts 2 min is confirmed, and Ops is notified.').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('trial is repeated at each reading and when time changes its result, and at no other moment', async t => {
    const { slug, id } = await custom('Awaited')
    const before = (context: BrowserContext) => context.clock.install({ time: world.clock.now() })
    const seen = await visit(`/monitors/${id}/rules/new`, 'edith', { before })
    let asked = 0
    seen.page.on('request', request => {
      if (request.url().includes('/rules/trial')) asked++
    })
    const says = (words: string) => trial(seen.page).getByText(words).waitFor()
    await seen.page.getByText('Live', { exact: true }).waitFor()
    await says('Waiting for the first report of 1 of 1 input')
    await seen.page.clock.runFor(1_000)
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

  t.test('form writes, saves and shows again every kind of input and every value of `need`', async t => {
    const { slug, id } = await custom('Whole')
    await v2('POST', `/subjects/${slug}/rules`, {
      name: 'First',
      document: { inputs: [{ signal: 'beat', mode: 'status' }], decision: { need: 'any' } },
    })
    const { page, close } = await visit(`/monitors/${id}/rules/new`, 'edith')
    await page.getByLabel('Name', { exact: true }).fill('All kinds')
    await page.getByLabel('Fails when it').selectOption('<')
    await page.getByLabel('Below').fill('0.5')
    await page.getByLabel('Silent after').fill('1 h 30 m')
    await page.getByText('Only some labels').click()
    await page.getByLabel('Labels', { exact: true }).fill('host=db1\nregion=*')
    await page.getByRole('button', { name: 'Add another input' }).click()
    await page.getByRole('group', { name: 'Input 2' }).getByLabel('Reads').selectOption('rule:first')
    await page.getByRole('button', { name: 'Add another input' }).click()
    await page.getByRole('button', { name: 'Remove input 3' }).click()
    await page.getByLabel('Problem when').selectOption('at_least')
    await page.getByLabel('How many').fill('2')
    await page.getByLabel('Recovery delay').fill('90s')
    await trial(page).getByRole('cell', { name: 'Rule First' }).waitFor()
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('Rule All kinds is saved.').waitFor()
    const saved = {
      inputs: [
        {
          ...{ signal: 'beat', mode: 'latest_value', compare: '<', threshold: 0.5 },
          ...{ match: { host: 'db1', region: '*' }, no_data_after: '1h30m0s' },
        },
        { from: 'first' },
      ],
      decision: { state: 'down', need: 'at_least', at_least: 2 },
      wait: { confirm_after: '2m0s', close_after: '1m30s' },
    }
    t.same((await v2('GET', `/subjects/${slug}/rules/all-kinds`)).document, saved)
    await page.goto(`${world.address}/monitors/${id}/rules/all-kinds`)
    await page.getByLabel('Name', { exact: true }).fill('All sorts')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Rule All sorts is saved.').waitFor()
    const again = await v2('GET', `/subjects/${slug}/rules/all-kinds`)
    t.same([again.name, again.document, again.policy_version], ['All sorts', saved, 1], 'the form reads what it wrote')
    await close()
  })

  t.test('refusal is shown at the field that it names, and the field gets the focus', async t => {
    const { slug, id } = await custom('Refused')
    await v2('POST', `/subjects/${slug}/rules`, {
      name: 'Taken',
      document: { inputs: [{ signal: 'beat', mode: 'status' }], decision: { need: 'any' } },
    })
    const { page, close } = await visit(`/monitors/${id}/rules/new`, 'edith')
    const refused = (field: string, words: string) =>
      page.locator(`[data-field="${field}"] .refusal`, { hasText: words }).waitFor()
    const save = () => page.getByRole('button', { name: 'Save rule' }).click()
    await save()
    await refused('name', 'name')
    await page.getByLabel('Name', { exact: true }).fill('taken')
    await save()
    await refused('name', 'has a rule "taken" already')
    await page.getByLabel('Name', { exact: true }).fill('Free')
    await page.getByLabel('Silent after').fill('often')
    await save()
    await refused('inputs.0.no_data_after', 'This must be a duration such as 2m')
    await page.locator('[name="inputs.0.no_data_after"]:focus').fill('')
    await page.getByLabel('Fails when it').selectOption('>')
    await page.getByLabel('Above').fill('many')
    await save()
    await refused('inputs.0.threshold', 'Give a number')
    await page.getByLabel('Above').fill('1')
    await page.getByText('Only some labels').click()
    await page.getByLabel('Labels', { exact: true }).fill('db1')
    await save()
    await refused('inputs.0.match', 'Write one label a line')
    await page.getByLabel('Labels', { exact: true }).fill('')
    await page.getByLabel('Confirmation delay').fill('400h 1s 9000h')
    await save()
    await refused('wait.confirm_after', 'of at most 365 days')
    t.equal((await v2('GET', `/subjects/${slug}/rules`)).length, 1)
    await close()
  })

  t.test('page says what is lost before it removes a rule with an open incident, a signal, or a subject', async t => {
    const { slug, id } = await custom('Lost')
    await report(slug, { status: 'problem' })
    await v2('POST', `/subjects/${slug}/rules`, {
      name: 'Failing',
      document: { inputs: [{ signal: 'beat', mode: 'status' }], decision: { need: 'any' } },
    })
    const { page, faults, close } = await visit(`/monitors/${id}/signals`, 'edith')
    await page.getByText('Problem if Beat reports a problem.').waitFor()
    await page.getByText('Read by Failing.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Remove signal: Beat' }).count(), 0, 'a signal that is read stays')
    await page.getByRole('button', { name: 'Delete this monitor' }).click()
    await page.getByText('1 signal with all that they reported, 1 rule').waitFor()
    await page.getByText('1 incident is open: nobody will be notified of a recovery.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Remove rule: Failing' }).click()
    await page.getByText('It closes at once, and nobody is notified of that.').waitFor()
    await page.getByRole('button', { name: 'Remove rule', exact: true }).click()
    await page.getByText('A signal that no rule reads raises nothing.').waitFor()
    t.same(await v2('GET', `/subjects/${slug}/incidents`), [])
    await page.getByRole('button', { name: 'Change: Beat' }).click()
    await page.getByLabel('Notes as JSON').fill('[1]')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('[data-field=meta] .refusal', { hasText: 'Write a JSON object' }).waitFor()
    await page.getByLabel('Notes as JSON').fill('{"host": "db1"}')
    await page.getByLabel('Name', { exact: true }).fill('Pulse')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Pulse' }).waitFor()
    t.match(await v2('GET', `/subjects/${slug}/signals/beat`), { name: 'Pulse', meta: { host: 'db1' } })
    await page.getByRole('button', { name: 'Remove signal: Pulse' }).click()
    await page.getByText('All that was reported to it is lost.').waitFor()
    await page.getByRole('button', { name: 'Remove signal', exact: true }).click()
    await page.getByText('No signals yet').waitFor()
    await page.getByRole('button', { name: 'Delete this monitor' }).click()
    await page.getByRole('button', { name: 'Delete monitor', exact: true }).click()
    await page.getByText('Lost is deleted.').waitFor()
    t.equal((await world.editor.send('GET', `/session/monitors/${id}`)).status, 404)
    t.same(faults, [])
    await close()
  })

  t.test('viewer reads rules and the results of trials, and sees no button whose action would be refused', async t => {
    const { slug, id } = await custom('Read only')
    await v2('POST', `/subjects/${slug}/rules`, {
      name: 'Failing',
      document: { inputs: [{ signal: 'beat', mode: 'status' }], decision: { need: 'any' } },
    })
    const { page, faults, close } = await visit(`/monitors/${id}/signals`, 'vera')
    await page.getByText('Problem if Beat reports a problem.').waitFor()
    t.equal(await page.locator('main button').count(), 0)
    await page.goto(`${world.address}/monitors/${id}/rules/failing`)
    await trial(page).getByText('Waiting for the first report').waitFor()
    t.equal(await page.locator('main form').count(), 0)
    await page.goto(`${world.address}/monitors/${id}/rules/new`)
    await page.getByText('An editor or owner writes rules.').waitFor()
    await page.goto(`${world.address}/monitors/new/custom`)
    await page.getByText('An editor or owner of the workspace adds monitors.').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('page warns that a first rule makes the website custom, and a trial of this rule reads the checks', async t => {
    const id = await world.addMonitor('Slow shop')
    await world.report(id, 'aaaa', true)
    const { page, faults, close } = await visit(`/monitors/${id}/rules/new`, 'edith')
    await page.getByText('A first rule makes this website a monitor with rules of its own, for good.').waitFor()
    await page.getByLabel('Fails when it').selectOption('>')
    await page.getByLabel('Above').fill('1')
    await trial(page).getByText('An incident opens at once, as Pending.').waitFor()
    t.equal((await world.editor.send('GET', `/session/monitors/${id}`)).json.kind, 'website')
    t.same(faults, [])
    await close()
  })

  t.test('a subject of 100 signals and a rule of 64 inputs with hostile names are shown, tried and saved', async t => {
    const name = '\u05d0'.repeat(100)
    const { slug, id } = await custom(name)
    const hostile = '<script>alert(1)</script>'
    for (let n = 2; n <= 100; n++) await v2('POST', `/subjects/${slug}/signals`, { name: `${hostile} ${n}`, kind: 'event' })
    const input = { signal: 'beat', mode: 'status', match: { [hostile]: hostile }, no_data_after: '10m' }
    const document = { inputs: Array.from({ length: 64 }, () => input), decision: { need: 'majority' } }
    await v2('POST', `/subjects/${slug}/rules`, { name: hostile, document })
    await report(slug, { status: 'problem', error: hostile, labels: { [hostile]: hostile } })
    const { page, faults, close } = await visit(`/monitors/${id}/rules/script-alert-1-script`, 'edith', { width: 360 })
    await trial(page).getByText('64 of 64 inputs failing').waitFor()
    t.notOk(await overflows(page), 'the rule fits')
    await page.getByLabel('Problem when').selectOption('all')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(url => url.pathname === `/monitors/${id}`)
    await page.goto(`${world.address}/monitors/${id}/signals`)
    await page.getByRole('heading', { name: `${hostile} 100` }).waitFor()
    t.notOk(await overflows(page), 'the signals fit')
    t.same(faults, [])
    await close()
  })

  t.test('form reports during typing that another person removed the rule, or that the session ended', async t => {
    const { slug, id } = await custom('Ended')
    const document = { inputs: [{ signal: 'beat', mode: 'status' }], decision: { need: 'any' } }
    await v2('POST', `/subjects/${slug}/rules`, { name: 'Old', document })
    const { page, context, close } = await visit(`/monitors/${id}/rules/old`, 'edith')
    await trial(page).getByText('Waiting for the first report').waitFor()
    await world.editor.send('DELETE', `/session/v2/subjects/${slug}/rules/old?workspace_id=${home}`, {})
    await page.getByLabel('Confirmation delay').fill('1m')
    await trial(page).getByText('It cannot be saved like this yet: Rule does not exist').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('Rule does not exist').waitFor()
    await page.goto(`${world.address}/monitors/${id}/rules/old`)
    await page.getByText('There is no such rule').waitFor()
    await page.goto(`${world.address}/monitors/${id}/rules/new`)
    await trial(page).getByText('Waiting for the first report').waitFor()
    await context.clearCookies()
    await page.getByLabel('Confirmation delay').fill('1m')
    await page.getByRole('dialog', { name: 'You are signed out' }).waitFor()
    t.equal(await page.getByLabel('Confirmation delay').inputValue(), '1m', 'what was typed stays')
    await close()
  })

  t.test('each page is accessible, small, without errors and no wider than its window', { timeout: 240_000 }, async t => {
    const { slug, id } = await custom('A subject with a name that is rather long, as some are')
    await report(slug, { status: 'problem', value: 97.5, error: 'disk full: '.repeat(20) })
    const inputs = ['a', 'b', 'c'].map(host => ({ signal: 'beat', mode: 'status', match: { host }, no_data_after: '10m' }))
    const document = { inputs: [...inputs, { signal: 'beat', mode: 'status' }], decision: { need: 'any' } }
    await v2('POST', `/subjects/${slug}/rules`, { name: 'Any shard', document })
    for (const path of [
      '/monitors/new/custom',
      `/monitors/${id}/signals`,
      `/monitors/${id}/rules/new`,
      `/monitors/${id}/rules/any-shard`,
    ]) {
      for (const [colorScheme, width] of [['light', 360] as const, ['dark', 1280] as const]) {
        const { page, faults, bytes, close } = await visit(path, 'edith', { colorScheme, width })
        await page.locator('h1').waitFor()
        if (path.includes('/rules/')) await trial(page).getByRole('table').waitFor()
        t.same(await axeFaults(page), [], `axe: ${path}, ${colorScheme}, ${width} px`)
        t.notOk(await overflows(page), `width: ${path}, ${width} px`)
        t.same(faults, [], `faults: ${path}`)
        t.ok(bytes() <= 40_000, `bytes: ${path}, ${bytes()}`)
        await close()
      }
    }
  })
})
