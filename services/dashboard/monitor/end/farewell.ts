// Archiving and deletion of a monitor: the requests, the sentences about everything that is lost, and a sentence about the result. Only
// some kinds of monitors can be deleted.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import { ask, askV3, refusalOf } from '../../data/api.ts'
import { counted } from '../../data/format.ts'
import { isClassic } from '../../data/is-classic.ts'

export type End = 'archive' | 'delete'

export const endWords: Readonly<Record<End, string>> = { archive: 'Archive', delete: 'Delete' }

/** Returns the actions that can end a monitor. Generation 2 deletes monitors, so those that it does not show can only be archived. */
export const endsOf = (detail: Pick<MonitorDetail, 'row' | 'resource'>): End[] => {
  if (detail.row === null) return []
  return isClassic(detail) ? ['archive', 'delete'] : ['archive']
}

/** Returns sentences about everything that the action ends or deletes. */
export function lossesOf(
  end: End,
  { kind, rules, window, values }: Pick<MonitorDetail, 'kind' | 'rules' | 'window' | 'values'>,
): string[] {
  const open = rules.filter(({ incident }) => incident !== null).length
  const closes =
    open === 0 ? '' : ` ${counted(open, 'open incident')} ${open === 1 ? 'closes' : 'close'}, and nobody is notified of that.`
  const stops = values.length > 0 ? 'Its checks stop.' : 'Its reports are refused from then on.'
  const ends = `${stops}${closes}${window === null ? '' : ' Its maintenance ends.'}`
  if (end === 'archive') return [ends, 'Its history stays readable, and its key stays reserved. Nothing restores it.']
  const lost = isChecked(kind) ? 'its settings' : 'its signals and rules'
  return [
    ends,
    `Lost for good are ${lost}, all its incidents, its Observation log and its figures. The log of messages keeps its rows for 30 days.`,
  ]
}

/** Archives or deletes a monitor. Resolves with a sentence about the result. Rejects with a Refusal. */
export async function endMonitor(end: End, { kind, resource, workspace_id }: MonitorDetail): Promise<string> {
  const [id, name] = [encodeURIComponent(String(resource['id'])), String(resource['name'])]
  if (end === 'archive') {
    await askV3('POST', `/workspaces/${workspace_id}/resources/${id}/archive`, {})
    return `${name} is archived.`
  }
  if (kind === 'custom') await ask('DELETE', `/session/subjects/${id}`)
  else {
    // Checks the body too, because a refusal of generation 2 has status 200.
    const answer = await ask<{ error: object | null }>('DELETE', `/session/v2/monitoring/websites/${id}`)
    if (answer.error !== null) throw refusalOf(409, answer, null)
  }
  return `${name} is deleted.`
}
