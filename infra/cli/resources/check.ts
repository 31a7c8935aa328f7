// `./watchkeeper check kinds`: the kinds of checks, as generation 3 lists them.
import type { Command } from 'commander'
import { listedTypes } from '../api/listed-types.ts'
import { withApi } from '../api/with-api.ts'
import { type ApiOptions, addApiNoun } from '../noun.ts'
import { printJson, printTable } from '../terminal/printing.ts'

interface ListedKind {
  type: string
  options: { key: string; type: string; label: string; help: string; required: boolean; secret: boolean; default: unknown }[]
}

export function addCheckCommands(program: Command): void {
  const verb = addApiNoun(program, 'check', 'what probers can check')
  verb('kinds', 'the kinds of checks, and the options of each').action(listKinds)
}

async function listKinds(options: ApiOptions): Promise<void> {
  const kinds = await withApi(options, api => listedTypes<ListedKind>(api, '/checks', 'options'))
  if (options.json) return printJson(kinds)
  printTable(
    ['kind', 'option', 'value', 'mark', 'default', 'meaning'],
    kinds.flatMap(({ type, options: each }) =>
      each.map(one => {
        const mark = [one.required && 'required', one.secret && 'secret'].filter(Boolean).join(', ')
        const usual = one.default === null || one.default === '' ? '' : JSON.stringify(one.default)
        return [type, one.key, one.type, mark, usual, one.help === '' ? one.label : `${one.label}. ${one.help}`]
      }),
    ),
  )
}
