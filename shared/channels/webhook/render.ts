// Body for a program: what chat services show, and the incident as data. Pure. Rules: docs/reference/v3.md, 10.9.
import { wantedLinks } from '../fields.ts'
import { attachmentsOf } from '../message/attachments.ts'
import type { Channel } from '../port.ts'
import { posted } from '../posted.ts'
import { framed } from './frame.ts'
import { incidentObject } from './incident-object.ts'

export const render: Channel['render'] = (facts, _event, settings, links) => {
  const { acknowledge } = wantedLinks(links, settings)
  const attachments = attachmentsOf(facts, { subject: links.subject }, neutralise)
  return framed(posted({ attachments, incident: incidentObject(facts.alert, facts.incident, acknowledge) }), settings)
}

/** A program gets text unchanged. */
export const neutralise = (text: string): string => text
