// Body for a program: what chat services show, and the incident as data. Pure. Rules: docs/reference/v3.md, 10.9.
import { attachmentsOf } from '../message/attachments.ts'
import type { Channel } from '../port.ts'
import { posted } from '../posted.ts'
import { framed } from './frame.ts'
import { incidentObject } from './incident-object.ts'

export const render: Channel['render'] = (facts, _event, settings, links) =>
  framed(
    posted({ attachments: attachmentsOf(facts, links, neutralise), incident: incidentObject(facts.alert, facts.incident) }),
    settings,
  )

/** A program gets text unchanged. */
export const neutralise = (text: string): string => text
