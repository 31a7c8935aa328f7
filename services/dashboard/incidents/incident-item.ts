// One incident of a list response of generation 3, with the order and the grouping in which the dashboard shows incidents. Pure.
import { instant } from '../data/format.ts'

export interface IncidentItem {
  id: string
  resource: { id: string; key: string; name: string }
  rule: string
  lifecycle: 'open' | 'closed'
  confirmation: 'unconfirmed' | 'confirmed'
  condition: 'ok' | 'problem' | 'no_data'
  cause: string | null
  explanation: string
  closed_reason: 'recovered' | 'rule_removed' | 'resource_archived' | null
  opened_at: string
  closed_at: string | null
  acknowledgement: { by: string; at: string } | null
}

/** Returns the state of the incident's machine: one word for lifecycle, confirmation and condition. */
export function stateOfItem({ lifecycle, confirmation, condition }: IncidentItem): string {
  if (lifecycle === 'closed') return 'closed'
  if (condition === 'ok') return 'recovering'
  return confirmation === 'confirmed' ? condition : 'pending'
}

/**
 * Compares two incidents for sorting: problems come first, then missing data, unconfirmed incidents, and recovering incidents. Incidents of
 * one such group keep the order of the list, newest first.
 */
export const byTrouble = (a: IncidentItem, b: IncidentItem): number => rankOf(a) - rankOf(b)

const ranks = ['problem', 'no_data', 'pending', 'recovering', 'closed']
const rankOf = (item: IncidentItem): number => ranks.indexOf(stateOfItem(item))

export interface Day {
  day: string
  items: IncidentItem[]
}

/** Groups closed incidents by the day on which they opened, in the visitor's time zone. Keeps the order of the list. */
export function byDay(items: readonly IncidentItem[]): Day[] {
  const days: Day[] = []
  for (const item of items) {
    const [day = ''] = instant(Date.parse(item.opened_at)).split(',')
    const last = days.at(-1)
    if (last?.day === day) last.items.push(item)
    else days.push({ day, items: [item] })
  }
  return days
}
