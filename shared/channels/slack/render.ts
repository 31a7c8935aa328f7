// Body for an incoming webhook of Slack. Pure. Rules: docs/notifications.md.
import { wantedLinks } from '../fields.ts'
import { attachmentsOf } from '../message/attachments.ts'
import type { Channel } from '../port.ts'
import { posted } from '../posted.ts'

export const render: Channel['render'] = (facts, _event, settings, links) => {
  const { channel } = settings
  const attachments = attachmentsOf(facts, wantedLinks(links, settings), neutralise)
  return posted({ ...(channel === undefined ? {} : { channel: `#${channel}` }), attachments })
}

/** Slack reads `<…>` as links and mentions even in quotations, so foreign text must not contain angle brackets. */
export const neutralise = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
