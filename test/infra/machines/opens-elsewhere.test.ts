// Tests that machine files can be opened in tools that read XState code. These tools evaluate the unchanged file, in which only the exports
// of `xstate` are defined.
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import t from 'tap'
import * as xstate from 'xstate'
import { machines } from '#machines/drawings.ts'

const source = (name: string) => readFile(new URL(`../../../machines/${name}.ts`, import.meta.url), 'utf8')

/**
 * Returns the machines that a source text declares. Evaluates the text as Stately's tools do: without types, with only the exports of
 * `xstate`.
 */
function evaluated(text: string): xstate.AnyStateMachine[] {
  const plain = stripTypeScriptTypes(text)
    .replace(/^import \{[^}]*\} from 'xstate'$/m, '')
    .replace(/^export /gm, '')
  const names = [...plain.matchAll(/^const (\w+Machine)\b/gm)].map(([, name]) => name)
  return new Function(...Object.keys(xstate), `${plain}\nreturn [${names}]`)(...Object.values(xstate))
}

for (const [name, machine] of Object.entries(machines)) {
  t.test(`machines/${name}.ts is evaluated with nothing but xstate`, async t => {
    const [found, ...others] = evaluated(await source(name))
    t.same(others, [])
    t.same(JSON.stringify(found?.config), JSON.stringify(machine.config))
  })

  t.test(`simulator starts the machine of machines/${name}.ts and sends it an event`, async t => {
    const [found] = evaluated(await source(name))
    const [first] = xstate.initialTransition(found as xstate.AnyStateMachine, undefined)
    const [event] = Object.keys(found?.root.states[String(first.value)]?.config.on ?? {})
    t.doesNotThrow(() => xstate.transition(found as xstate.AnyStateMachine, first, { type: event, at: 1, until: 2, endsAt: 2 }))
  })
}
