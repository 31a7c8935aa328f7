// Channel of Mattermost: an incoming webhook that takes attachments. Written by the documents of Mattermost.
import { postsAttachments } from '../message/attachment-post.ts'
import type { Channel } from '../port.ts'

export const mattermost: Channel = postsAttachments({
  type: 'mattermost',
  name: 'Mattermost',
  help: 'Posts to a channel of Mattermost.',
  from: 'From the menu: Integrations, Incoming Webhooks.',
  textUnits: 4_000,
  perSecond: 5,
})
