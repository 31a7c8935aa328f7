// `./watchkeeper template list|show|publish|preview|rebind|check`: Templates of a workspace, over generation 3 of the API.
import type { Command } from 'commander'
import { notFoundError } from '../../runtime/start-error.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import { type ApiOptions, addApiNoun, type JsonOption } from '../noun.ts'
import { type TemplateView, templateOf } from '../resources/pairs.ts'
import { printJson, printTable, say } from '../terminal/printing.ts'
import type { PreviewOptions } from './template-files.ts'
import type { RebindOptions } from './template-rebind.ts'

export function addTemplateCommands(program: Command): void {
  const verb = addApiNoun(program, 'template', 'Templates: which signals a Resource has, and by which rules it is judged')
  verb('list', 'system Templates and those of the workspace, every revision').action(listTemplates)
  verb('show', 'one revision: fields, signals and rules; with --json the whole of it')
    .argument('<template>', 'key, which means its highest version, or key@version')
    .action(showTemplate)
  verb('publish', 'publish the Template of a file; its key@version is alone on standard output')
    .argument('<file>', 'one Template as YAML or JSON')
    .action(async (file: string, options: ApiOptions) => (await import('./template-files.ts')).publishTemplate(file, options))
  verb('preview', 'judge Observations by the Template of a file: the Incidents that would have been; nothing is stored')
    .argument('<file>', 'one Template as YAML or JSON')
    .option('--observations <file>', 'JSON: a list of Observations with their instants, or {"observations", "meta", "at"}')
    .action(async (file: string, options: PreviewOptions) => (await import('./template-files.ts')).previewTemplate(file, options))
  verb('rebind', 'bind all Resources of one revision to another one, which closes their open Incidents')
    .argument('<from>', 'key, which means all its revisions, or key@version')
    .argument('<to>', 'key, which means its highest version, or key@version')
    .option('--yes', 'do it; without it the number of Resources and open Incidents is said')
    .action(async (from: string, to: string, options: RebindOptions) => {
      const { rebindTemplate } = await import('./template-rebind.ts')
      return rebindTemplate(from, to, options)
    })
  program.commands
    .find(command => command.name() === 'template')
    ?.command('check')
    .description('read a Template as publication would, and judge Observations by its rules; needs no installation')
    .argument('<file>', 'one Template as YAML or JSON')
    .option('--observations <file>', 'JSON: a list of Observations with their instants, or {"observations", "meta", "at"}')
    .option('--json', 'print JSON, for scripts')
    .action(async (file: string, options: JsonOption) => (await import('./template-check.ts')).checkTemplate(file, options))
}

async function listTemplates(options: ApiOptions): Promise<void> {
  const all = await withWorkspace(options, ({ api, root }) => api.all<TemplateView>(`${root}/templates`))
  if (options.json) return printJson(all)
  printTable(
    ['template', 'signals', 'rules', 'name'],
    all.map(({ id, signals, rules, name }) => [id, keysOf(signals), keysOf(rules), name]),
  )
}

const keysOf = (parts: readonly { key: string }[]) => parts.map(({ key }) => key).join(' ')

async function showTemplate(named: string, options: ApiOptions): Promise<void> {
  const found = await withWorkspace(options, place => templateOf(place, named))
  if (found === null) {
    throw notFoundError(`There is no Template "${named}": ./watchkeeper template list shows them.`)
  }
  if (options.json) return printJson(found)
  say(`${found.id} "${found.name}"${found.summary === '' ? '' : `: ${found.summary}`}`)
  console.log()
  printTable(
    ['field', 'type', 'required', 'default', 'label'],
    found.fields.map(field => [field.key, field.type, field.required ? 'yes' : '', shown(field.default), field.label]),
  )
  console.log()
  printTable(
    ['signal', 'kind', 'every', 'help'],
    found.signals.map(({ key, kind, every_seconds: every, help }) => [key, kind, every === null ? '' : `${every} s`, help]),
  )
  console.log()
  printTable(
    ['rule', 'confirm after', 'recover after', 'action'],
    found.rules.map(({ key, wait, action }) => [key, delay(wait.confirm_after), delay(wait.recover_after), action ?? '']),
  )
}

const delay = (wait: number | { meta: string }) => (typeof wait === 'number' ? `${wait} s` : `field ${wait.meta}`)

const shown = (value: unknown) => (value === null || value === undefined ? '' : JSON.stringify(value))
