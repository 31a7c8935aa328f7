// Chains on the command line and in files, in a real installation (v3 10.15): steps have names there.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'

const { folder, api, command, workspace } = await startPreloaded(t, [])
const destinations = `/v3/workspaces/${workspace}/destinations`

t.test('command line makes a chain by the names of its steps', async t => {
  for (const name of ['On call', 'Boss'])
    await api('POST', destinations, { name, type: 'webhook', url: `http://127.0.0.1:1/${name === 'Boss' ? 'b' : 'a'}` })
  const create = ['destination', 'create', 'Night', '--type', 'chain', '--set', 'steps=On call,Boss:10', '--json']
  const { stdout } = await command(create)
  const ids = new Map<string, string>(
    (await api('GET', destinations)).result.map((one: Record<string, string>) => [one['name'], one['id']]),
  )
  t.strictSame(JSON.parse(stdout).settings.steps, [
    { destination: ids.get('On call'), after_minutes: 0 },
    { destination: ids.get('Boss'), after_minutes: 10 },
  ])
})

t.test('files have the names of steps, and one order of making and of deleting', async t => {
  const exported = join(folder, 'exported')
  await command(['export', exported])
  const text = readFileSync(join(exported, 'destinations.yaml'), 'utf8')
  t.match(text, /steps:\n {4}- destination: On call\n {6}after_minutes: 0\n {4}- destination: Boss\n {6}after_minutes: 10\n/)
  t.match(await command(['apply', exported, '--dry-run']), { code: 0 })
  const files = join(folder, 'files')
  mkdirSync(files)
  const write = (steps: string) =>
    writeFileSync(
      join(files, 'a.yaml'),
      `kind: Destination\nname: Day\ntype: chain\nsettings: {steps: ${steps}}\n---\nkind: Destination\nname: New\ntype: webhook\n`,
    )
  const environment = { WATCHKEEPER_DESTINATION_NEW_URL: 'http://127.0.0.1:1/n' }
  write('[{destination: Nobody}]')
  t.match(await command(['apply', files], environment), { code: /[^0]/, stderr: /"Nobody" is no destination of the workspace/ })
  write('[{destination: new}, {destination: Boss, after_minutes: 5}]')
  t.match((await command(['apply', files], environment)).stdout, /^made +Destination New\n(.*\n)*made +Destination Day$/m)
  t.match((await command(['apply', files])).stdout, /^left +Destination Day$/m)
  write('[{destination: New, after_minutes: 1}]')
  t.match((await command(['apply', files])).stdout, /^changed +Destination Day: settings\.steps$/m)
  const pruned = await command(['apply', files, '--prune'])
  t.match(pruned.stdout + pruned.stderr, /deleted +Destination Night\n(.*\n)*deleted +Destination Boss/)
})
