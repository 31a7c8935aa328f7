// Body for an incoming webhook of Slack. Pure. Rules: docs/notifications.md.
import { attachmentsOf } from '../message/attachments.ts'
import type { Channel } from '../port.ts'
import { posted } from '../posted.ts'

export const render: Channel['render'] = (facts, _event, { channel }, links) =>
  posted({ ...(channel === undefined ? {} : { channel: `#${channel}` }), attachments: attachmentsOf(facts, links, neutralise) })

/** Slack reads `<…>` as links and mentions even in quotations, so foreign text must not contain angle brackets. */
export const neutralise = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
