// `./watchkeeper health`: conditions of the installation that its operator should look at, over generation 3 of the API.
import type { Command } from 'commander'
import type { Static } from 'typebox'
import type { HealthObject } from '../../../services/gateway/v3/administration/health.ts'
import { withApi } from '../api/with-api.ts'
import { type ApiOptions, overApi } from '../noun.ts'
import { printJson, printTable, say } from '../terminal/printing.ts'

export function addHealthCommand(program: Command): void {
  overApi(program.command('health').description('what the operator of the installation should look at')).action(showHealth)
}

async function showHealth(options: ApiOptions): Promise<void> {
  const health = await withApi(options, api => api.read<Static<typeof HealthObject>>('/health'))
  const { version, conditions } = health
  if (options.json) return printJson(health)
  if (conditions.length === 0) return say(`Version ${version}: nothing needs the operator.`)
  printTable(
    ['since', 'condition', 'of', 'summary'],
    conditions.map(({ since, kind, name, summary }) => [since, kind.replaceAll('_', ' '), name, summary]),
  )
}
