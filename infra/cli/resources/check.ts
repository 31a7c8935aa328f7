// `./watchkeeper check kinds|try`: the kinds of checks, as generation 3 lists them, and a check made once.
import type { Command } from 'commander'
import type { Static } from 'typebox'
import { ApiUnreachable } from '#shared/api-v3/errors.ts'
import { isObject } from '#shared/json-shape/is-object.ts'
import type { TryResult } from '../../../services/gateway/v3/resources/try.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import { listedTypes } from '../api/listed-types.ts'
import { withApi } from '../api/with-api.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import { type ApiOptions, addApiNoun } from '../noun.ts'
import { printJson, printTable } from '../terminal/printing.ts'
import { readAnswers } from './pairs.ts'
import { answersOf, type CheckOptions, kindNamed, pairsOf, templateOf, withCheckOptions } from './watch.ts'

interface ListedOption {
  key: string
  type: string
  label: string
  help: string
  required: boolean
  secret: boolean
  default: unknown
}

interface ListedKind {
  type: string
  options: ListedOption[]
  fields: ListedOption[]
}

export function addCheckCommands(program: Command): void {
  const verb = addApiNoun(program, 'check', 'what probers can check')
  verb('kinds', 'the kinds of checks, and the options of each').action(listKinds)
  withCheckOptions(verb('try', 'make a check once and store nothing; exit code 4 unless it passes from every location')).action(
    tryCheck,
  )
}

async function listKinds(options: ApiOptions): Promise<void> {
  const kinds = await withApi(options, api => listedTypes<ListedKind>(api, '/checks', 'options'))
  if (options.json) return printJson(kinds)
  printTable(
    ['kind', 'option', 'value', 'mark', 'default', 'meaning'],
    kinds.flatMap(({ type, options: own, fields }) =>
      [...own, ...fields].map(one => {
        const mark = [one.required && 'required', one.secret && 'secret'].filter(Boolean).join(', ')
        const usual = one.default === null || one.default === '' ? '' : JSON.stringify(one.default)
        return [type, one.key, one.type, mark, usual, one.help === '' ? one.label : `${one.label}. ${one.help}`]
      }),
    ),
  )
}

type Tried = Static<typeof TryResult>

function resultsIn(answer: unknown, url: string): Tried[] {
  if (Array.isArray(answer) && answer.every(one => isObject(one) && isObject(one['location']))) return answer
  throw new ApiUnreachable(url, 'it returned no list of results where one was expected')
}

async function tryCheck(word: string, target: string, options: CheckOptions): Promise<void> {
  const kind = kindNamed(word)
  const template = templateOf(kind)
  const tried = await withWorkspace(options, async place => {
    const answers = await readAnswers(place, template, pairsOf(kind, options.set))
    const meta = { ...(await answersOf(place.api, kind, target, options)), ...answers }
    const path = `${place.root}/checks/try`
    return resultsIn(await place.api.call({ method: 'POST', path, body: { template, meta } }), place.api.url)
  })
  if (options.json) printJson(tried)
  else {
    printTable(
      ['location', 'check', 'outcome', 'value', 'status', 'reason'],
      tried.map(({ signal, location, outcome, value, status, error, unit }) => [
        location.name,
        signal,
        outcome,
        value === null ? '' : `${value} ${unit}`,
        String(status ?? ''),
        error ?? '',
      ]),
    )
  }
  const places = [...Map.groupBy(tried, ({ location }) => location.id).values()]
  const passed = places.filter(passesIn)
  if (passed.length < places.length || places.length === 0)
    throw new StartError(`The check passed from ${passed.length} of ${places.length} locations.`, exitCodes.refused)
}

/** Whether something passed and nothing failed. A check that cannot be made there, such as of the certificate of an http URL, does not count. */
const passesIn = (tried: readonly Tried[]): boolean =>
  tried.some(({ outcome }) => outcome === 'passed') && tried.every(({ outcome }) => outcome === 'passed' || outcome === 'cannot')
